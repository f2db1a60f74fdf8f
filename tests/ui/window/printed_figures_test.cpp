// One walk over all figures that can be made from the labs that come with the program, as they are printed in a column
// of 82.5 mm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainterPath>
#include <QRegularExpression>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "tests/support/source_file.h"
#include "ui/figure/export/export_options.h"
#include "ui/figure/export/figure_page.h"
#include "ui/figure/figure_caption.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/paint/figure_painter.h"
#include "ui/figure/paint/printed_figure.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {
namespace {

constexpr double kUnit = 10;  // units of the device per point

struct DrawnText {
    QString text;
    QRectF box;  // of the letters, without the space above and below them
    double points;
    bool isUpright;
};

struct DrawnStroke {
    QLineF line;
    QRgb color;
};

/// A paint device that keeps what is drawn on it, in units of the device.
class Page : public QPaintDevice {
 public:
    explicit Page(const QSize& size) : m_engine(*this), m_size(size) {}
    QPaintEngine* paintEngine() const override { return &m_engine; }

    QList<DrawnText> texts;
    QList<DrawnStroke> strokes;
    QList<QRectF> areas;  // filled or stroked
    QList<QRectF> faded;  // behind a label, whose background lets what it covers through

 protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth:
                return m_size.width();
            case PdmHeight:
                return m_size.height();
            case PdmWidthMM:
                return static_cast<int>(m_size.width() / kUnit / 72 * 25.4);
            case PdmHeightMM:
                return static_cast<int>(m_size.height() / kUnit / 72 * 25.4);
            case PdmNumColors:
                return 1 << 24;
            case PdmDepth:
                return 32;
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY:
                return static_cast<int>(72 * kUnit);
            case PdmDevicePixelRatio:
                return 1;
            case PdmDevicePixelRatioScaled:
                return static_cast<int>(devicePixelRatioFScale());
            default:
                return 0;
        }
    }

 private:
    class Engine : public QPaintEngine {
     public:
        explicit Engine(Page& page) : QPaintEngine(AllFeatures), m_page(page) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState&) override {}
        Type type() const override { return User; }
        void drawPixmap(const QRectF& place, const QPixmap&, const QRectF&) override { add(place); }
        void drawImage(const QRectF& place, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {
            add(place);
        }
        void drawPath(const QPainterPath& path) override {
            if (path.isEmpty()) return;
            if (isSeen(path.boundingRect())) add(path.boundingRect());
            if (state->pen().style() == Qt::NoPen) return;
            for (const QPolygonF& polygon : path.toSubpathPolygons(state->transform())) addStrokes(polygon);
        }
        void drawPolygon(const QPointF* points, int count, PolygonDrawMode) override {
            QPolygonF polygon;
            for (int i = 0; i < count; ++i) polygon << points[i];
            const QColor fill = state->brush().color();
            if (state->brush().style() != Qt::NoBrush && fill.alpha() < 255 && fill.rgb() == Theme::light().paper.rgb())
                m_page.faded.append(state->transform().mapRect(polygon.boundingRect()));
            if (isSeen(polygon.boundingRect())) add(polygon.boundingRect());
            if (state->pen().style() != Qt::NoPen) addStrokes(state->transform().map(polygon));
        }
        void drawTextItem(const QPointF& place, const QTextItem& item) override {
            const QFontMetricsF metrics(item.font());
            const QRectF letters(place.x(), place.y() - metrics.capHeight(), item.width(), metrics.capHeight());
            const QTransform& to = state->transform();
            const double scale = std::sqrt(std::abs(to.determinant()));
            m_page.texts.append({item.text(), to.mapRect(letters), item.font().pixelSize() * scale / kUnit,
                                 std::abs(to.m12()) > std::abs(to.m11())});
            add(letters);
        }

     private:
        /// Backgrounds have the colour of the paper.
        bool isSeen(const QRectF&) const {
            return state->pen().style() != Qt::NoPen || (state->brush().style() != Qt::NoBrush &&
                                                         state->brush().color().rgb() != Theme::light().paper.rgb());
        }
        void add(const QRectF& place) { m_page.areas.append(state->transform().mapRect(place)); }
        void addStrokes(const QPolygonF& polygon) {
            for (qsizetype i = 1; i < polygon.size(); ++i) {
                m_page.strokes.append({QLineF(polygon[i - 1], polygon[i]), state->pen().color().rgb()});
            }
        }

        Page& m_page;
    };

    mutable Engine m_engine;
    QSize m_size;
};

struct Made {
    Figure figure;
    QString whyNot;
};

QString labOf(const char* name) {
    return QString::fromStdString(source_file("resources/lectures/labs/" + std::string(name) + ".ropelab"));
}

/// Of two setups, which differ in all that figures name.
Made makeCompared(const FigureEntry& entry) {
    const QJsonObject flags = {
        {QStringLiteral("setup"),
         QStringLiteral("theta=10k head_dim=64 context=1024 | theta=500k head_dim=128 fraction=0.5 context=2048")}};
    try {
        checkFigures(figureEntries(), {entry.name}, flags, false);
        FigureSources sources;
        return {makeFigures(figureEntries(), {entry.name}, flags, sources).front(), {}};
    } catch (const std::exception& error) {
        return {{}, QString::fromUtf8(error.what())};
    }
}

/// From the first lab of those that has the data; `run` chooses one with several snapshots.
Made make(const FigureEntry& entry) {
    QString why;
    QList<std::pair<QString, QJsonObject>> tries;
    if (entry.lab != FigureEntry::Lab::required) tries.append(std::pair(QString(), QJsonObject()));
    for (const char* lab : {"lecture-minute", "three-thetas", "fractions", "speed"})
        tries.append(std::pair(labOf(lab), QJsonObject()));
    tries.prepend(std::pair(labOf("lecture-minute"), QJsonObject{{QStringLiteral("run"), QStringLiteral("20")}}));
    for (const auto& [lab, flags] : tries) {
        try {
            checkFigures(figureEntries(), {entry.name}, flags, !lab.isEmpty());
            FigureSources sources(lab);
            return {makeFigures(figureEntries(), {entry.name}, flags, sources).front(), {}};
        } catch (const std::exception& error) {
            why = QString::fromUtf8(error.what());
        }
    }
    return {{}, why};
}

/// Where two of three strokes of the data cross the letters of a text.
bool isCrossed(const QRectF& box, const QLineF& line) {
    const QRectF inner = box.adjusted(0.1 * kUnit, 0.1 * box.height(), -0.1 * kUnit, -0.1 * box.height());
    if (inner.contains(line.p1()) || inner.contains(line.p2())) return true;
    const std::array<QLineF, 2> diagonals = {QLineF(inner.topLeft(), inner.bottomRight()),
                                             QLineF(inner.topRight(), inner.bottomLeft())};
    return std::ranges::any_of(diagonals, [&](const QLineF& diagonal) {
        return diagonal.intersects(line, nullptr) == QLineF::BoundedIntersection;
    });
}

/// Colours of the curves of a figure.
QSet<QRgb> dataColors(const Figure& figure, const FigureStyle& style) {
    QSet<QRgb> colors;
    const auto add = [&](const Figure& each) {
        for (const FigureCurve& curve : each.curves) colors.insert(style.penOf(curve).color().rgb());
    };
    add(figure);
    for (const Figure& panel : figure.panels) add(panel);
    return colors;
}

/// As the size says, and as high as the figure needs.
ExportOptions optionsFor(const Figure& figure, const char* size) {
    ExportOptions options;
    const FigurePreset& chosen = figurePreset(QLatin1String(size));
    options.widthMm = chosen.widthMm;
    options.heightMm = chosen.heightMm;
    options.fontPt = chosen.fontPt;
    options.heightMm = fittedHeightMm({&figure, 1}, options);
    return options;
}

/// Of axes without a name, and of bars that do not begin at 0.
QStringList faultsOfAxes(const Figure& figure) {
    QStringList faults;
    for (const Figure& panel : figure.panels) faults << faultsOfAxes(panel);
    if (figure.drawing || !figure.panels.empty() || isEmpty(figure)) return faults;
    for (const auto& [axis, which] : {std::pair(&figure.x, "x"), std::pair(&figure.y, "y")}) {
        if (axis->label.isEmpty() && axis->categories.isEmpty()) faults << QStringLiteral("no name: %1").arg(which);
    }
    const bool hasBars = std::ranges::any_of(
        figure.curves, [](const FigureCurve& curve) { return curve.shape == FigureCurve::Shape::bars; });
    if (hasBars && !figure.y.logarithmic && (yRange(figure).minimum > 0 || yRange(figure).maximum < 0)) {
        faults << QStringLiteral("bars do not begin at 0");
    }
    return faults;
}

/// In a column, or across the page if a column would be higher than the page.
QStringList faultsOf(const Figure& figure) {
    QStringList faults = faultsOfAxes(figure);
    ExportOptions options = optionsFor(figure, "icml-column");
    if (!higherThanPage({&figure, 1}, options).isEmpty()) options = optionsFor(figure, "ieee-page");
    faults << higherThanPage({&figure, 1}, options);
    const double perMm = kUnit * 72 / 25.4;
    const QSize size(static_cast<int>(options.widthMm * perMm), static_cast<int>(options.heightMm * perMm));
    const FigureStyle style = [&] {
        FigureStyle print = FigureStyle::print(Theme::light(), options.fontPt, kUnit);
        print.dashes = true;
        return print;
    }();
    Page page(size);
    paintFigure(figure, page, size, style, true);

    for (qsizetype i = 0; i < page.texts.size(); ++i) {
        const DrawnText& text = page.texts[i];
        if (text.text.trimmed().isEmpty()) continue;
        if (text.points < 5.95) faults << QStringLiteral("%1 pt: %2").arg(text.points).arg(text.text);
        static const QRegularExpression cut(QStringLiteral("[^ ]…|…[^ ]"));
        static const QRegularExpression omitted(QStringLiteral("^(and [0-9]+ more|\\+ [0-9]+)$"));
        if (text.text.contains(cut) || text.text.contains(omitted)) faults << QStringLiteral("cut: %1").arg(text.text);
        const QRectF paper(0, 0, size.width(), size.height());
        if (!paper.adjusted(-kUnit, -kUnit, kUnit, kUnit).contains(text.box)) {
            faults << QStringLiteral("outside the page: %1").arg(text.text);
        }
        for (qsizetype j = i + 1; j < page.texts.size(); ++j) {
            const QRectF both = text.box & page.texts[j].box;
            if (both.width() > 0.5 * kUnit && both.height() > 1.0 * kUnit) {
                faults << QStringLiteral("overlap: %1 | %2").arg(text.text, page.texts[j].text);
            }
        }
    }
    const QSet<QRgb> colors = figure.drawing ? QSet<QRgb>() : dataColors(figure, style);
    for (const DrawnText& text : page.texts) {
        const bool isCovered = std::ranges::any_of(page.strokes, [&](const DrawnStroke& stroke) {
            return colors.contains(stroke.color) && isCrossed(text.box, stroke.line);
        });
        if (isCovered) faults << QStringLiteral("over data: %1").arg(text.text);
    }
    for (const QRectF& box : page.faded) {
        const bool isFaded = std::ranges::any_of(page.strokes, [&](const DrawnStroke& stroke) {
            return colors.contains(stroke.color) && isCrossed(box, stroke.line);
        });
        if (isFaded) faults << QStringLiteral("faded data at %1, %2").arg(box.x()).arg(box.y());
    }
    QStringList sentences = captionOf(figure).split(QStringLiteral(". "));
    const bool isOfTwoDrawings = !figure.panels.empty() && figure.panels.front().drawing;  // of A, then of B
    if (sentences.removeDuplicates() > 0 && !isOfTwoDrawings)
        faults << QStringLiteral("said twice: %1").arg(captionOf(figure));
    if (captionOf(figure).contains(QStringLiteral("current"))) faults << QStringLiteral("of the window: current");

    // Rows and columns of a grid in which something is drawn.
    constexpr int cells = 24;
    std::array<bool, cells> rows{};
    std::array<bool, cells> columns{};
    for (const QRectF& area : page.areas) {
        if (area.width() > 0.98 * size.width() && area.height() > 0.98 * size.height()) continue;
        for (int i = 0; i < cells; ++i) {
            const double x = (i + 0.5) / cells * size.width();
            const double y = (i + 0.5) / cells * size.height();
            rows[static_cast<std::size_t>(i)] |= area.top() <= y && y <= area.bottom();
            columns[static_cast<std::size_t>(i)] |= area.left() <= x && x <= area.right();
        }
    }
    for (const auto& [used, what] : {std::pair(&rows, "height"), std::pair(&columns, "width")}) {
        int empty = 0;
        int longest = 0;
        for (const bool isUsed : *used) {
            empty = isUsed ? 0 : empty + 1;
            longest = std::max(longest, empty);
        }
        if (longest > cells / 4) faults << QStringLiteral("empty: %1 of 24 parts of the %2").arg(longest).arg(what);
    }

    const Figure printed = printedFigure(figure, style, size.width());
    QList<QPen> pens;
    QList<QList<double>> patterns;  // of data, which a greyscale print tells apart by them
    for (const FigureCurve& curve : printed.curves) {
        if (curve.label.isEmpty() || curve.shape != FigureCurve::Shape::line || curve.x.size() < 2) continue;
        if (curve.companion && !curve.isNamed) continue;
        if (pens.contains(style.penOf(curve))) faults << QStringLiteral("same look: %1").arg(curve.label);
        pens << style.penOf(curve);
        if (curve.ink.kind == Ink::Kind::data && !curve.solid && pens.size() <= 7 && std::isfinite(curve.x.front())) {
            if (patterns.contains(pens.last().dashPattern()))
                faults << QStringLiteral("same dashes: %1").arg(curve.label);
            patterns << pens.last().dashPattern();
        }
    }
    faults.removeAll(QString());
    return faults;
}

TEST(PrintedFigures, AreReadableInAColumn) {
    int made = 0;
    for (const FigureEntry& entry : figureEntries()) {
        const Made one = make(entry);
        if (!one.whyNot.isEmpty()) {
            std::cout << "not made: " << entry.name.toStdString() << ": " << one.whyNot.left(120).toStdString() << '\n';
            continue;
        }
        ++made;
        const QStringList faults = faultsOf(one.figure);
        EXPECT_TRUE(faults.isEmpty()) << entry.name.toStdString() << ": "
                                      << faults.join(QStringLiteral("\n    ")).toStdString();
    }
    EXPECT_GE(made, 81) << "of " << figureEntries().size();
}

// Curves of setup B had one dash pattern, and two panels were higher than a page.
TEST(PrintedFigures, OfTwoSetupsAreReadableInAColumn) {
    int made = 0;
    for (const FigureEntry& entry : figureEntries()) {
        const Made one = makeCompared(entry);
        if (!one.whyNot.isEmpty()) continue;
        ++made;
        const QStringList faults = faultsOf(one.figure);
        EXPECT_TRUE(faults.isEmpty()) << entry.name.toStdString() << ": "
                                      << faults.join(QStringLiteral("\n    ")).toStdString();
    }
    EXPECT_GE(made, 30);
}

}  // namespace
}  // namespace ropelab::ui
