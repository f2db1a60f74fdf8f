#include "ui/figure/paint/figure_renderer.h"

#include <qcustomplot.h>

#include <QSharedPointer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/figure/paint/figure_annotations.h"
#include "ui/figure/paint/figure_backdrop.h"
#include "ui/figure/paint/printed_figure.h"
#include "ui/figure/text_metrics.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

class FigureTicker : public QCPAxisTicker {
 public:
    explicit FigureTicker(Ticks marks) : m_marks(std::move(marks)) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* tickLabels) override {
        ticks.clear();
        QVector<QString> labels;
        for (qsizetype i = 0; i < m_marks.at.size(); ++i) {
            if (range.contains(m_marks.at[i])) {
                ticks.append(m_marks.at[i]);
                labels.append(m_marks.labels[i]);
            }
        }
        if (subTicks != nullptr) {
            subTicks->clear();
            for (const double minor : m_marks.minor) {
                if (range.contains(minor)) {
                    subTicks->append(minor);
                }
            }
        }
        if (tickLabels != nullptr) {
            *tickLabels = labels;
        }
    }

 private:
    Ticks m_marks;
};

/// Above the grid and maps, and below the curves.
class LinesBelow : public QCPLayerable {
 public:
    LinesBelow(QCustomPlot* plot, const FigureAnnotations& lines) : QCPLayerable(plot, u"grid"_s), m_lines(lines) {}

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override {
        if (m_lines.hasLinesBelow()) m_lines.drawLines(painter);
    }

 private:
    const FigureAnnotations& m_lines;
};

/// A note that ends as a sentence is followed by one, others by a further part.
QString withPart(const QString& note, const QString& part) {
    return note.isEmpty() ? part : note + (note.endsWith(u'.') ? u" "_s : u"; "_s) + part;
}

int rounded(double value) {
    return static_cast<int>(std::lround(value));
}

// Names of an axis are shortened to this fraction of the plot's size.
constexpr double kMaxNameFraction = 0.35;
constexpr double kMaxPrintedNameFraction = 0.6;  // a shortened name in a paper cannot be looked up
constexpr double kMaxSpare = 0.08;               // of the width: blank space beside labels at the ends
constexpr int kMaxNotePasses = 5;
constexpr qsizetype kMostNumbered = 30;  // points whose names are in the note: more fill the page with names

/// A matrix of the same things by the same things, such as attention weights of tokens by tokens.
bool hasSquareCells(const Figure& figure) {
    const auto& map = figure.map;
    return map && figure.y.downwards && map->rows == map->columns && map->xStep == map->yStep &&
           figure.x.categories.isEmpty() == figure.y.categories.isEmpty();
}

}  // namespace

FigureRenderer::FigureRenderer(QCustomPlot& plot) : m_plot(plot), m_curves(plot) {
    plot.setAutoAddPlottableToLegend(false);  // the legend is laid out again for each curve that is added or removed
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMinimumMargins(QMargins(0, 0, 0, 0));
    plot.addLayer(u"annotations"_s, plot.layer(u"main"_s));
    // Curves are drawn above the axes' base lines, and labels above the curves.
    plot.xAxis->setLayer(u"grid"_s);
    plot.yAxis->setLayer(u"grid"_s);
    m_backdrop = new FigureBackdrop(&plot, u"background"_s);
    m_annotations = new FigureAnnotations(&plot, u"annotations"_s);
    new LinesBelow(&plot, *m_annotations);  // the plot owns it
}

QRectF FigureRenderer::axesRect() const {
    return m_plot.axisRect()->rect();
}

std::optional<double> FigureRenderer::distanceTo(std::size_t curve, const QPointF& place) const {
    const QRectF axes = axesRect();
    return m_curves.distanceTo(curve, {place.x() - axes.left(), axes.bottom() - place.y()});
}

QList<QRectF> FigureRenderer::labelBoxes() const {
    return m_annotations->labelBoxes();
}

double FigureRenderer::endLabelsHeight() const {
    return m_annotations->endLabelsHeight();
}

void FigureRenderer::show(const Figure& given, const FigureStyle& style) {
    const bool onPaper = !style.onScreen;
    std::optional<Figure> printed =
        onPaper ? std::optional(printedFigure(given, style, m_plot.viewport().width())) : std::nullopt;
    const Figure& figure = printed ? *printed : given;
    if (!figure.valuesNote.isEmpty() &&
        FigureAnnotations::endLabelMargin(figure, style, m_plot.viewport().width()).values) {
        Figure noted = figure;
        noted.note = withPart(figure.note, std::exchange(noted.valuesNote, {}));
        return show(noted, style);
    }
    m_labelsInNote.clear();
    m_hasRowAbove = false;
    layOut(figure, style);
    // Numbers need less space, but a longer note reduces the axes' height.
    QStringList numbered;
    const Figure named = onPaper ? figure : Figure();
    for (int pass = 0; pass < kMaxNotePasses && onPaper; ++pass) {
        const QStringList names = m_annotations->namesWithoutSpace();
        if (names.isEmpty() || numbered.size() + names.size() > kMostNumbered) break;
        numbered += names;
        printed = withNumberedPoints(named, numbered);
        layOut(figure, style);
    }
    // Labels of vertical lines that find no place among the curves have a row of their own above the axes.
    const auto isOmitted = [this](const FigureLine& line) {
        return m_annotations->omittedLabels().contains(line.label);
    };
    if (std::any_of(figure.verticalLines.begin(), figure.verticalLines.end(), isOmitted)) {
        m_hasRowAbove = true;
        layOut(figure, style);
        const QList<QRectF> boxes = m_annotations->labelBoxes();
        m_hasRowAbove = std::ranges::any_of(boxes, [this](const QRectF& box) { return box.top() < axesRect().top(); });
        if (!m_hasRowAbove) layOut(figure, style);
    }
    // A longer note can reduce the axes' height, so that further labels have no space.
    for (int pass = 0; pass < kMaxNotePasses; ++pass) {
        QStringList all = m_labelsInNote + m_annotations->omittedLabels();
        all.removeDuplicates();
        if (all.size() == m_labelsInNote.size()) break;
        m_labelsInNote = all;
        if (onPaper) {
            layOut(withLinesInLegend(figure, all), style);
            continue;
        }
        Figure noted = figure;
        const auto one = std::ranges::find(figure.verticalLines, all.first(), &FigureLine::label);
        const bool isSolid = one != figure.verticalLines.end() && isSolidLine(*one);
        const QString lines = (all.size() > 1 ? u"lines without a label: %1"_s
                               : isSolid      ? u"solid line: %1"_s
                                              : u"line without a label: %1"_s)
                                  .arg(all.join(u", "_s));
        noted.note = withPart(figure.note, lines);
        layOut(noted, style);
    }
}

void FigureRenderer::layOut(const Figure& figure, const FigureStyle& style) {
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    m_xScale = {x.minimum, x.maximum, figure.x.logarithmic, 1};
    m_yScale = {y.minimum, y.maximum, figure.y.logarithmic, 1, figure.y.downwards};
    setMargins(figure, style);
    setAxes(figure, style);
    m_curves.show(figure, style, m_xScale, m_yScale);
    m_backdrop->set(figure, style, m_xScale, m_yScale);
    m_annotations->set(figure, style, m_xScale, m_yScale, m_curves.lines(), m_hasRowAbove);
}

void FigureRenderer::setMargins(const Figure& figure, const FigureStyle& style) {
    const TextMetrics tick(style.font(style.tickPt));
    const TextMetrics label(style.font(style.labelPt));
    const QRect all = m_plot.viewport();
    const double nameFraction = style.onScreen ? kMaxNameFraction : kMaxPrintedNameFraction;

    const FigureHead head(figure, style, all.size());
    // On screen, axes stay where they are when a note above them appears; rows with names have none.
    const bool hasHead = head.hasRowAbove() || (style.onScreen && figure.y.categories.isEmpty());
    const double headHeight = hasHead ? label.height() : 0;
    const int top = rounded(headHeight + style.units(11) + (m_hasRowAbove ? tick.height() : 0));
    const QString key = u"%1 %2 %3"_s.arg(figure.y.title()).arg(figure.y.logarithmic).arg(style.unit);
    const bool isSame = key == m_axesKey;
    m_axesKey = key;
    int right = rounded(FigureAnnotations::endLabelMargin(figure, style, all.width()).width);
    // Labels at the ends that become a little shorter leave the axes where they are.
    const int shorter = m_rightMargin - right;
    if (isSame && shorter > 0 && shorter < kMaxSpare * all.width()) right = m_rightMargin;
    m_rightMargin = right;
    const int note = rounded(head.heightBelow());
    m_noteMargin = isSame ? std::max(m_noteMargin, note) : note;
    if (note == 0) m_noteMargin = 0;
    const double beneath = style.units(8) + (figure.x.label.isEmpty() ? 0 : label.height() + style.units(3)) +
                           m_noteMargin + (m_noteMargin > 0 ? style.units(4) : 0);

    // The names of the x axis determine its height, and with it the length of the y axis.
    const auto setWidth = [&](int left) {
        m_leftMargin = left;
        m_xScale.length = std::max(1, all.width() - left - right);
        m_xMarks = xAxisMarks(figure.x, m_xScale, style, left, right, nameFraction * all.height());
    };
    const auto setHeight = [&] {
        const int bottom = rounded(m_xMarks.extent + beneath);
        m_yScale.length = std::max(1, all.height() - top - bottom);
        m_yMarks = yAxisMarks(figure.y, m_yScale, style, nameFraction * all.width());
        return bottom;
    };
    setWidth(m_leftMargin);
    setHeight();
    const double widest = std::max(m_yMarks.extent, tick.horizontalAdvance(u"0.0"_s));
    const int left = rounded(widest + style.units(12));
    setWidth(isSame ? std::max(m_leftMargin, left) : left);
    int bottom = setHeight();
    int beside = 0;                                                   // blank, at the right
    for (int pass = 0; pass < 2 && hasSquareCells(figure); ++pass) {  // narrower axes can have higher names
        const int most = all.width() - m_leftMargin - right;
        beside = std::max(0, most - rounded(m_yScale.length));
        m_xScale.length = std::max(1, most - beside);
        m_xMarks = xAxisMarks(figure.x, m_xScale, style, m_leftMargin, right + beside, nameFraction * all.height());
        bottom = setHeight();
    }
    m_blankHeight = 0;
    if (hasSquareCells(figure) && m_yScale.length > m_xScale.length) {
        m_blankHeight = rounded(m_yScale.length - m_xScale.length);
        bottom += m_blankHeight;
        m_yScale.length = m_xScale.length;
        m_yMarks = yAxisMarks(figure.y, m_yScale, style, nameFraction * all.width());
    }
    m_plot.axisRect()->setMargins(QMargins(m_leftMargin, top, right + beside, bottom));
}

void FigureRenderer::setAxes(const Figure& figure, const FigureStyle& style) {
    const QPen hairline(style.theme.hairline, style.units(style.hairPt));
    const QPen base(style.theme.quietText, style.units(style.hairPt));
    m_plot.setBackground(QBrush(style.theme.paper));
    m_plot.axisRect()->setBackground(QBrush(Qt::NoBrush));
    struct Part {
        QCPAxis* axis;
        const AxisScale& scale;
        const AxisMarks& marks;
    };
    for (const Part& part : {Part{m_plot.xAxis, m_xScale, m_xMarks}, Part{m_plot.yAxis, m_yScale, m_yMarks}}) {
        QCPAxis* axis = part.axis;
        axis->setScaleType(part.scale.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setRange(part.scale.minimum, part.scale.maximum);
        axis->setRangeReversed(part.scale.reversed);
        axis->setTicker(QSharedPointer<FigureTicker>::create(part.marks.ticks));
        axis->setTickLabelRotation(part.marks.upright ? -90 : 0);
        axis->setTickLabelFont(style.font(part.marks.points));
        axis->setTickLabelColor(style.theme.quietText);
        axis->setTickLabelPadding(rounded(style.units(4)));
        axis->setBasePen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setTickPen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setSubTickPen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setTickLength(0, rounded(style.units(3)));
        axis->setSubTickLength(0, rounded(style.units(1.5)));
        axis->grid()->setPen(hairline);
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    // The line of the axis is below the lowest row of a map, not in it.
    m_plot.xAxis->setOffset(figure.map ? 1 + rounded(style.units(style.hairPt)) : 0);
    const bool empty = isEmpty(figure);
    // Only a text is shown if it is not yet known what the axes measure.
    const bool hasAxes = !figure.drawing && !(empty && figure.x.label.isEmpty() && figure.y.label.isEmpty());
    m_plot.xAxis->setVisible(hasAxes);
    m_plot.yAxis->setVisible(hasAxes);
    m_plot.xAxis->grid()->setVisible(false);
    m_plot.yAxis->grid()->setVisible(!empty && !figure.map && !figure.drawing);
    m_plot.yAxis->setTickLabels(!empty);
    m_plot.xAxis->setTickLabels(!empty || std::isfinite(figure.x.maximum));
    // The title is centred below the axis.
    const double rightSpace = m_plot.viewport().width() - m_leftMargin - m_xScale.length;
    const double titleWidth = m_xScale.length + 2 * std::min<double>(m_leftMargin, rightSpace) - style.units(4);
    const QFont titleFont = style.fitting(style.font(style.labelPt), figure.x.title(), titleWidth);
    m_plot.xAxis->setLabelFont(titleFont);
    m_plot.xAxis->setLabel(titleWithin(figure.x, titleFont, titleWidth));
    m_plot.xAxis->setLabelColor(style.theme.text);
    m_plot.xAxis->setLabelPadding(rounded(style.units(2)));
}

}  // namespace ropelab::ui
