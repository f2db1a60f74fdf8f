// Labels in and around a figure do not overlap and are not shortened unnecessarily.
#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QBuffer>
#include <QFontMetricsF>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "ui/figure/export/export.h"
#include "ui/figure/paint/axis_marks.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/paint/figure_labels.h"
#include "ui/figure/paint/figure_renderer.h"
#include "ui/figure/paint/label_places.h"
#include "ui/figure/text_metrics.h"

namespace ropelab::ui {
namespace {

const FigureStyle kStyle = FigureStyle::screen(Theme::light(), 96.0 / 72);

struct Painted {
    QCustomPlot plot;
    FigureRenderer renderer{plot};

    Painted(const Figure& figure, const QSize& size) {
        plot.setViewport(QRect(QPoint(), size));
        renderer.show(figure, kStyle);
        plot.toPixmap(size.width(), size.height(), 1);
    }
    QStringList xLabels() const {
        QStringList labels = renderer.xMarks().ticks.labels;
        labels.removeAll(QString());
        return labels;
    }
};

FigureCurve lineOf(QList<double> x, QList<double> y) {
    FigureCurve curve;
    curve.x = std::move(x);
    curve.y = std::move(y);
    return curve;
}

// QCustomPlot lays its legend out again for each curve that is added or removed, which takes minutes for thousands.
TEST(FigureRenderer, CurvesAreInNoLegendOfThePlot) {
    Figure figure;
    for (int i = 0; i < 10; ++i) figure.curves.push_back(lineOf({0, 1}, {0, static_cast<double>(i)}));
    const Painted painted(figure, {400, 300});
    EXPECT_GE(painted.plot.plottableCount(), 10);
    EXPECT_EQ(painted.plot.legend->itemCount(), 0);
}

TEST(FigureRenderer, LongLeadersAreLeftOut) {
    const auto dots = [](double end) {
        Figure figure;
        std::tie(figure.x.minimum, figure.x.maximum, figure.y.minimum, figure.y.maximum) = std::tuple(0, 100, 0, 1);
        figure.curves = {lineOf({0, end}, {0.53, 0.53}), lineOf({0, 100}, {0.1, 0.1})};
        for (FigureCurve& curve : figure.curves) curve.label = "curve";
        Painted painted(figure, {600, 300});
        const QImage picture = painted.plot.toPixmap(600, 300, 1).toImage();
        const QRectF axes = painted.renderer.axesRect();
        const int row = static_cast<int>(std::lround(axes.bottom() - 0.53 * axes.height()));
        int found = 0;
        for (double x = axes.left() + (end / 100 + 0.02) * axes.width(); x < axes.right() - 3; ++x) {
            for (int y = row - 1; y <= row + 1; ++y)
                found += picture.pixelColor(static_cast<int>(x), y) != kStyle.theme.paper;
        }
        return found;
    };
    EXPECT_EQ(dots(30), 0) << "it looks like a curve";
    EXPECT_GT(dots(85), 0);
}

void expectApart(const QList<QRectF>& boxes) {
    for (qsizetype i = 0; i < boxes.size(); ++i) {
        for (qsizetype j = 0; j < i; ++j) {
            EXPECT_FALSE(boxes[i].intersects(boxes[j])) << i << " on " << j;
        }
    }
}

// The label of the entropy floor covered the labels of the curves' ends in a column of a paper.
TEST(FigureLabels, ALineLabelStaysWithinTheAxes) {
    Figure figure;
    figure.x.label = "step";
    figure.y.label = "loss";
    figure.curves = {lineOf({0, 100}, {4, 2})};
    figure.curves[0].label = "theta 500000, 100 %, seed 1";
    figure.horizontalLines = {{1, "entropy floor (whole validation split) 0.787"}};
    ExportOptions options;
    options.format = FigureFormat::svg;
    options.fontPt = 8;
    const auto painted = [&](double widthMm) {
        options.widthMm = widthMm;
        const QByteArray bytes = figureBytes(figure, options);
        return QString::fromUtf8(bytes.left(bytes.indexOf("<metadata")));
    };
    EXPECT_TRUE(painted(180).contains("entropy floor (whole validation split) 0.787"));
    // The legend names the line whose label finds no place.
    const QString narrow = painted(60);
    EXPECT_TRUE(narrow.contains(">entropy floor (whole")) << narrow.toStdString();
    EXPECT_TRUE(narrow.contains("0.787"));
}

TEST(LabelPlaces, ShortenedLabelsStayDistinct) {
    const TextMetrics metrics(kStyle.font(kStyle.tickPt));
    const double width = metrics.horizontalAdvance("learned + θ 10k, 100 %");
    const QList<double> both = {width, width};
    const QStringList alike =
        labelsWithin({"learned + θ 10k, 100 %, data enwik8", "learned + θ 10k, 100 %, data text8"}, both, metrics);
    EXPECT_NE(alike[0], alike[1]);
    EXPECT_TRUE(alike[1].endsWith("text8")) << alike[1].toStdString();
    const QStringList distinct =
        labelsWithin({"context 512, enwik8, layers 2, llama", "layers 4, context 128, enwik8"}, both, metrics);
    EXPECT_TRUE(distinct[0].startsWith("context 512")) << distinct[0].toStdString();
    EXPECT_TRUE(distinct[0].endsWith(QChar(0x2026)));
}

TEST(LabelPlaces, UsesTheFreeBoxThatCoversTheFewestSegments) {
    LabelPlaces places;
    places.occupy(QRectF(0, 0, 10, 10));
    places.addStroke({0, 25}, {100, 25});  // crosses the second candidate, with its ends far away
    const QList<QRectF> candidates = {QRectF(5, 5, 10, 10), QRectF(20, 20, 10, 10), QRectF(20, 40, 10, 10)};
    EXPECT_EQ(places.place(candidates), candidates[2]);
    EXPECT_EQ(places.place(candidates), candidates[1]);
    EXPECT_EQ(places.place(candidates), std::nullopt) << "all candidates are occupied";
    EXPECT_EQ(places.occupied().size(), 3);
    places.addPoint({55, 55});
    EXPECT_EQ(places.place({QRectF(50, 50, 10, 10)}, LabelPlaces::Avoided::points), std::nullopt)
        << "a label would cover a point";
    places.addPoint({60, 95}, 20);
    EXPECT_EQ(places.place({QRectF(66, 70, 10, 10)}, LabelPlaces::Avoided::points), std::nullopt)
        << "a label would cover the mark of a point";
    EXPECT_TRUE(places.place({QRectF(50, 50, 10, 10)}));
}

TEST(FigureLabels, LabelsOfCloseLinesDoNotOverlap) {
    Figure figure;
    figure.curves.push_back(lineOf({0, 100}, {0, 10}));
    for (int i = 0; i < 8; ++i) figure.horizontalLines.push_back({5 + 0.02 * i, QStringLiteral("row %1").arg(i)});
    for (int i = 0; i < 6; ++i) figure.verticalLines.push_back({50.0 + i, QStringLiteral("column %1").arg(i)});
    const Painted painted(figure, {420, 280});
    expectApart(painted.renderer.labelBoxes());
    const qsizetype lines = 8 + 6;
    EXPECT_EQ(painted.renderer.labelBoxes().size() + painted.renderer.labelsInNote().size(), lines);
}

// With two setups, "B(Δ) < 0 first at …" covered the line of the other setup and touched its label.
TEST(FigureLabels, LabelsCrossNoLineOfAnotherLabelAndDoNotTouch) {
    for (const int width : {300, 420, 820}) {
        for (const double distance : {0.5, 3.0, 12.0}) {
            Figure figure;
            figure.x.minimum = 0;
            figure.x.maximum = 100;
            figure.curves.push_back(lineOf({0, 100}, {0, 10}));
            for (int i = 0; i < 4; ++i) {
                figure.verticalLines.push_back(
                    {40 + distance * i, QStringLiteral("B: context 131,072 %1").arg(i), {Ink::Kind::compared}});
            }
            figure.horizontalLines.push_back({5, QStringLiteral("entropy floor 1.42")});
            const Painted painted(figure, {width, 280});
            const QRectF axes = painted.renderer.axesRect();
            const QList<QRectF> boxes = painted.renderer.labelBoxes();
            EXPECT_EQ(boxes.size() + painted.renderer.labelsInNote().size(), 5) << width << " " << distance;
            for (qsizetype i = 0; i < boxes.size(); ++i) {
                const bool isAbove = boxes[i].bottom() <= axes.top() + 1;  // in the row above the axes
                EXPECT_TRUE(axes.adjusted(-1, isAbove ? -1 - boxes[i].height() : -1, 1, 1).contains(boxes[i]));
                int crossed = 0;
                for (const FigureLine& line : figure.verticalLines) {
                    const double x = axes.left() + painted.renderer.xScale().toDevice(line.at);
                    crossed += x > boxes[i].left() && x < boxes[i].right() ? 1 : 0;
                }
                EXPECT_LE(crossed, isAbove || boxes[i].width() > axes.width() / 2 ? 1 : 0) << "at most its own line";
                for (qsizetype j = 0; j < i; ++j) {
                    EXPECT_FALSE(boxes[i].adjusted(-3, 0, 3, 0).intersects(boxes[j])) << i << " touches " << j;
                }
            }
        }
    }
}

TEST(FigureLabels, ALabelWithoutSpaceIsInTheNote) {
    Figure figure;
    figure.x.minimum = 0;
    figure.x.maximum = 100;
    figure.note = QStringLiteral("sum over 64 pairs");
    figure.curves.push_back(lineOf({0, 100}, {0, 10}));
    figure.verticalLines = {
        {46.8, QStringLiteral("left")}, {50, QStringLiteral("middle")}, {53.2, QStringLiteral("right")}};
    EXPECT_EQ(Painted(figure, {420, 280}).renderer.labelsInNote(), QStringList{"middle"});
    figure.verticalLines[1].at = 20;
    EXPECT_TRUE(Painted(figure, {420, 280}).renderer.labelsInNote().isEmpty());
}

TEST(FigureLabels, LabelsDoNotCoverPoints) {
    Figure figure;
    figure.x.minimum = 0;
    figure.x.maximum = 1;
    figure.y.minimum = 0;
    figure.y.maximum = 1;
    FigureCurve point = lineOf({0.08}, {0.47});
    point.shape = FigureCurve::Shape::points;
    figure.curves.push_back(point);
    figure.horizontalLines.push_back({0.5, QStringLiteral("baseline")});
    const Painted painted(figure, {420, 280});
    const QRectF axes = painted.renderer.axesRect();
    const QPointF at(axes.left() + 0.08 * axes.width(), axes.bottom() - 0.47 * axes.height());
    ASSERT_EQ(painted.renderer.labelBoxes().size(), 1);
    EXPECT_FALSE(painted.renderer.labelBoxes().first().contains(at));
}

TEST(FigureLabels, ALineLabelCoversNoBar) {
    Figure figure;
    figure.curves.push_back(lineOf({0, 1, 2, 3}, {4, 0.1, 0.1, 0.1}));
    figure.curves.back().shape = FigureCurve::Shape::bars;
    figure.horizontalLines.push_back({3, QStringLiteral("logit 0.901")});
    const Painted painted(figure, {500, 300});
    ASSERT_EQ(painted.renderer.labelBoxes().size(), 1);
    EXPECT_GT(painted.renderer.labelBoxes().first().left(), painted.renderer.axesRect().left() + 100);
}

TEST(FigureRenderer, LinesAreBelowTheCurves) {
    Figure figure;
    figure.x.minimum = figure.y.minimum = 0;
    figure.x.maximum = figure.y.maximum = 2;
    figure.curves.push_back(lineOf({1}, {1}));
    figure.curves.back().shape = FigureCurve::Shape::points;
    figure.curves.back().pointPt = 12;
    figure.curves.back().ink = {Ink::Kind::success};
    figure.verticalLines.push_back({1, {}, {Ink::Kind::error}, QStringLiteral("handle")});
    Painted painted(figure, {400, 300});
    const QImage picture = painted.plot.toPixmap(400, 300, 1).toImage();
    EXPECT_EQ(picture.pixelColor(painted.renderer.axesRect().center().toPoint()), kStyle.theme.success);
}

TEST(FigureRenderer, AxesStayWhereALabelAtTheEndBecomesALittleShorter) {
    Figure figure;
    figure.curves.push_back(lineOf({0, 1}, {0, 1}));
    figure.curves.back().label = QStringLiteral("independent");
    Painted painted(figure, {800, 300});
    const QRectF axes = painted.renderer.axesRect();
    figure.curves.back().label = QStringLiteral("indepen");
    painted.renderer.show(figure, kStyle);
    EXPECT_EQ(painted.renderer.axesRect(), axes);
    figure.curves.back().label.clear();
    painted.renderer.show(figure, kStyle);
    EXPECT_GT(painted.renderer.axesRect().width(), axes.width()) << "the space of all labels is not kept";
}

TEST(FigureLabels, LabelsOfPointsDoNotOverlap) {
    Figure figure;
    for (int i = 0; i < 5; ++i) {
        FigureCurve point = lineOf({10.0 + i}, {5.0 + 0.01 * i});
        point.shape = FigureCurve::Shape::points;
        point.label = QStringLiteral("group %1").arg(i);
        figure.curves.push_back(point);
    }
    figure.x.minimum = 0;
    figure.x.maximum = 25;
    const Painted painted(figure, {420, 280});
    EXPECT_GE(painted.renderer.labelBoxes().size(), 3);
    expectApart(painted.renderer.labelBoxes());
}

/// Returns the distance of a point from the nearest place of a box.
double distanceFrom(const QRectF& box, const QPointF& point) {
    const double across = std::max({box.left() - point.x(), point.x() - box.right(), 0.0});
    const double up = std::max({box.top() - point.y(), point.y() - box.bottom(), 0.0});
    return std::hypot(across, up);
}

// In a column of a paper, the labels of two pairs of points were nearer to the other point of the pair.
TEST(FigureLabels, LabelsOfScatteredPointsBelongToTheirPoints) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    const AxisScale x{0, 1, false, 170};
    const AxisScale y{0, 1, false, 110};
    const FigureStyle style = FigureStyle::print(Theme::light(), 8, 1);
    qsizetype placedLabels = 0;
    qsizetype leaders = 0;
    for (int sample = 0; sample < 300; ++sample) {
        FigureLabels labels(style, x, y);
        QList<FigureLabels::Point> points;
        const int count = 3 + sample % 10;
        for (int i = 0; i < count; ++i) {
            const double across = unit(random);
            const double up = sample % 3 == 0 ? 0.25 + 0.5 * (i % 2) : unit(random);  // also in two rows
            points.append({QStringLiteral("llama · %1 · 100 %").arg(i),
                           {x.toDevice(across), y.length - y.toDevice(up)},
                           i % 2 == 0 ? 4.0 : 2.5,
                           false,
                           false});
            labels.addCurve({{across}, {up}}, points.last().radius);
        }
        labels.placePoints(points);
        placedLabels += labels.placed().size();
        for (const FigureLabels::Placed& label : labels.placed()) {
            const auto own = std::find_if(points.begin(), points.end(),
                                          [&](const auto& point) { return point.label == label.text; });
            ASSERT_NE(own, points.end());
            const double gap = distanceFrom(label.box, own->at) - own->radius;
            for (const FigureLabels::Point& other : points) {
                const double otherGap = distanceFrom(label.box, other.at) - other.radius;
                EXPECT_GT(otherGap, 0) << "a label covers a point in sample " << sample;
                if (other.label == own->label || label.leader) continue;
                EXPECT_GT(otherGap, gap) << label.text.toStdString() << " belongs to another point in " << sample;
            }
            for (const FigureLabels::Placed& other : labels.placed()) {
                if (other.text == label.text) continue;
                EXPECT_FALSE(other.box.intersects(label.box)) << "labels overlap in sample " << sample;
                if (!label.leader || !other.leader) continue;
                EXPECT_NE(label.leader->intersects(*other.leader, nullptr), QLineF::BoundedIntersection) << sample;
            }
            if (!label.leader) continue;
            ++leaders;
            EXPECT_EQ(label.leader->p1(), own->at);
            EXPECT_LT(distanceFrom(label.box, label.leader->p2()), 0.01);
        }
    }
    EXPECT_GT(placedLabels, 1500) << "most labels find a place";
    EXPECT_GT(leaders, 100);
}

// Groups of one cohort have almost the same speed, so that their marks cover each other.
TEST(FigureLabels, PointsThatCoverEachOtherHaveLabels) {
    const FigureStyle style = FigureStyle::print(Theme::light(), 8, 1);
    for (const double apart : {0.0, 0.02, 0.5, 2.0, 4.0}) {
        FigureLabels labels(style, {0, 1, false, 170}, {0, 1, false, 110});
        QList<FigureLabels::Point> points;
        for (int i = 0; i < 2; ++i) {
            const QPointF at(85 + i * apart, 55);
            points.append({QStringLiteral("llama · %1 · 100 %").arg(i), at, 2.5, false, false});
            labels.addCurve({{at.x() / 170}, {0.5}}, 2.5);
        }
        labels.placePoints(points);
        EXPECT_EQ(labels.placed().size(), 2) << apart;
    }
}

TEST(FigureLabels, PickedPointIsAlwaysLabelled) {
    Figure figure;
    FigureCurve points;
    for (int i = 0; i < 20; ++i) {  // every place beside the picked point covers a point
        for (int j = 0; j < 20; ++j) {
            points.x.append(10 + 0.1 * i);
            points.y.append(10 + 0.1 * j);
        }
    }
    points.shape = FigureCurve::Shape::points;
    FigureCurve point = lineOf({11}, {11});
    point.shape = FigureCurve::Shape::points;
    point.label = QStringLiteral("group");
    figure.curves = {points, point};
    figure.x.minimum = figure.y.minimum = 0;
    figure.x.maximum = figure.y.maximum = 22;
    EXPECT_TRUE(Painted(figure, {420, 280}).renderer.labelBoxes().isEmpty());
    figure.curves.back().emphasis = FigureCurve::Emphasis::picked;
    EXPECT_EQ(Painted(figure, {420, 280}).renderer.labelBoxes().size(), 1);
}

TEST(FigureLabels, EndLabelsOfLinesWidenTheRightMargin) {
    Figure figure;
    figure.curves.push_back(lineOf({0, 1}, {0, 1}));
    figure.horizontalLines.push_back({0.5, QStringLiteral("NoPE, every layer")});
    const double inside = Painted(figure, {420, 280}).renderer.axesRect().right();
    figure.horizontalLines.back().labelAtEnd = true;
    const Painted painted(figure, {420, 280});
    EXPECT_LT(painted.renderer.axesRect().right(), inside - 80);
    EXPECT_TRUE(painted.renderer.labelBoxes().isEmpty());
}

TEST(FigureLabels, ACurveOutsideOfTheAxesHasNoLabel) {
    Figure figure;
    figure.y.minimum = 0;
    figure.y.maximum = 2;
    const auto pixelsAtTheRight = [&](double y) {
        figure.curves = {lineOf({0, 1}, {y, y})};
        figure.curves.back().label = QStringLiteral("label");
        Painted painted(figure, {420, 280});
        const QImage image = painted.plot.toPixmap(420, 280, 1).toImage();
        const QRect axes = painted.renderer.axesRect().toRect();
        int count = 0;
        for (int x = axes.right() + 4; x < image.width(); ++x) {
            for (int row = 0; row < axes.bottom(); ++row) count += image.pixelColor(x, row).lightness() < 128 ? 1 : 0;
        }
        return count;
    };
    EXPECT_GT(pixelsAtTheRight(1.5), 20);
    EXPECT_EQ(pixelsAtTheRight(5), 0);
    EXPECT_EQ(pixelsAtTheRight(-1), 0);
}

TEST(FigureLabels, LongNoteIsBelowTheAxes) {
    Figure figure;
    figure.curves.push_back(lineOf({0, 1}, {0, 1}));
    figure.y.label = QStringLiteral("magnitude of attention's spectrum");
    figure.note = QStringLiteral("step 600: θ 100, layer 0; lines: wavelengths of RoPE's pairs; thin: before");
    const QStringList lines = FigureHead(figure, kStyle, {420, 280}).noteBelow();
    EXPECT_GE(lines.size(), 2);
    EXPECT_EQ(lines.join(' '), figure.note);
    const TextMetrics metrics(kStyle.font(kStyle.tickPt));
    for (const QString& line : lines) EXPECT_LT(metrics.horizontalAdvance(line), 420);
    EXPECT_TRUE(FigureHead(figure, kStyle, {1400, 280}).noteBelow().isEmpty());
    const double low = Painted(figure, {420, 280}).renderer.axesRect().bottom();
    EXPECT_LT(low, Painted(figure, {1400, 280}).renderer.axesRect().bottom() - metrics.height());
    const QStringList few = FigureHead(figure, kStyle, {160, 110}).noteBelow();
    ASSERT_FALSE(few.isEmpty());
    EXPECT_LE(static_cast<double>(few.size()) * metrics.lineSpacing(), 0.35 * 110) << "the axes need their space";
    EXPECT_TRUE(few.last().endsWith(QChar(0x2026)));
}

TEST(FigureLabels, ColourBarTitleTakesPrecedenceOverTheNote) {
    FigureMap map;
    map.label = QStringLiteral("logit contribution");
    map.unit = QStringLiteral("%");
    EXPECT_EQ(map.title(), "logit contribution (%)");
    map.columns = 2;
    map.rows = 2;
    map.values = {0, 1, 2, 3};
    Figure figure;
    figure.y.label = QStringLiteral("layer");
    figure.note = QString(40, QLatin1Char('n'));
    figure.map = map;
    const QSizeF plot(420, 280);
    const auto below = FigureHead(figure, kStyle, plot).noteBelow();
    figure.map->label = QString(20, QLatin1Char('W'));
    EXPECT_GE(FigureHead(figure, kStyle, plot).noteBelow().size(), std::max<qsizetype>(1, below.size()))
        << "the colour bar's title has precedence over the note";
}

// Beside narrow axes the note was cut to its first letters, on the right of a title above the colour bar.
TEST(FigureLabels, NoteThatFitsInTheRowIsWhole) {
    Figure figure;
    figure.y.label = QStringLiteral("query token");
    figure.note = QStringLiteral("a head that is built, not trained: all tokens have the same q and k");
    figure.map.emplace();
    figure.map->label = QStringLiteral("attention weight");
    const auto textsBeside = [&](double right) {
        QBuffer buffer;
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        QPainter painter(&svg);
        FigureHead(figure, kStyle, {600, 300}).draw(painter, QRectF(40, 30, right - 40, 200), QRectF(0, 0, 600, 300));
        painter.end();
        return QString::fromUtf8(buffer.data());
    };
    for (const double right : {560.0, 420.0, 300.0, 200.0, 120.0}) {
        const QString texts = textsBeside(right);
        for (const QString& text : {figure.y.label, figure.note, figure.map->label})
            EXPECT_TRUE(texts.contains(text)) << right << ": " << texts.toStdString();
    }
}

TEST(AxisMarks, LongNamesAreRotatedInsteadOfOmitted) {
    Figure figure;
    figure.x.categories = {"none", "rope", "learned", "learned+rope"};
    figure.curves.push_back(lineOf({0, 1, 2, 3}, {1, 2, 3, 4}));
    EXPECT_EQ(Painted(figure, {700, 280}).xLabels(), figure.x.categories);
    EXPECT_FALSE(Painted(figure, {700, 280}).renderer.xMarks().upright);
    const Painted narrow(figure, {260, 280});
    EXPECT_TRUE(narrow.renderer.xMarks().upright);
    EXPECT_EQ(narrow.xLabels(), figure.x.categories);
    EXPECT_LT(narrow.renderer.axesRect().bottom(), Painted(figure, {700, 280}).renderer.axesRect().bottom() - 20);
    figure.x.categories = {"data tinyshakespeare, theta 500", "data enwik8, theta 500"};
    const Painted two(figure, {420, 280});
    EXPECT_EQ(two.xLabels().size(), 2) << "shortened, but visible";
    EXPECT_FALSE(two.renderer.xMarks().upright);
}

TEST(AxisMarks, NamesOnPaperAreInTwoRowsBeforeTheyAreUpright) {
    const FigureStyle paper = FigureStyle::print(Theme::light(), 8.5, 10);
    Axis axis = Axis::cells({}, 6, {"cos/sin, 100 %", "MHA", "GQA", "MQA", "MLA", "sliding"});
    const auto marksIn = [&](double length, const FigureStyle& style) {
        return xAxisMarks(axis, {-0.5, 5.5, false, length}, style, 300, 100, 1000);
    };
    EXPECT_TRUE(marksIn(1900, FigureStyle::screen(Theme::light(), 10)).upright);
    const AxisMarks rows = marksIn(1900, paper);
    EXPECT_FALSE(rows.upright);
    EXPECT_EQ(rows.ticks.labels.join('|'), "cos/sin, 100 %|\nMHA|GQA|\nMQA|MLA|\nsliding");
    EXPECT_TRUE(marksIn(800, paper).upright);
}

// A large number had no gap to the next one where a colour bar leaves little width.
TEST(AxisMarks, NumbersDoNotTouch) {
    const FigureStyle paper = FigureStyle::print(Theme::light(), 8.5, 10);
    const AxisScale scale{0, 131072, false, 850};
    const Ticks ticks = xAxisMarks({}, scale, paper, 300, 300, 1000).ticks;
    double end = -1e9;
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        if (ticks.labels[i].isEmpty()) continue;
        const double width = QFontMetricsF(paper.font(paper.tickPt)).horizontalAdvance(ticks.labels[i]);
        EXPECT_GT(scale.toDevice(ticks.at[i]) - width / 2, end) << ticks.labels[i].toStdString();
        end = scale.toDevice(ticks.at[i]) + width / 2;
    }
}

TEST(AxisMarks, CustomValuesAreLabelled) {
    Figure figure;
    figure.x.label = QStringLiteral("θ");
    figure.x.logarithmic = true;
    figure.x.minimum = 400;
    figure.x.maximum = 60000;
    figure.x.marks = {500, 1000, 5000, 10000, 20000, 50000, 500};
    figure.curves.push_back(lineOf({500, 50000}, {1, 2}));
    EXPECT_EQ(Painted(figure, {900, 280}).xLabels(),
              QStringList({"500", "1,000", "5,000", "10,000", "20,000", "50,000"}));
    EXPECT_EQ(Painted(figure, {420, 280}).xLabels(), QStringList({"500", "1k", "5k", "10k", "20k", "50k"}))
        << "short labels where the long ones have no space";
    const QStringList few = Painted(figure, {180, 280}).xLabels();
    EXPECT_GE(few.size(), 2);
    EXPECT_LT(few.size(), 6);
    EXPECT_EQ(few.last(), "50k");
}

TEST(AxisMarks, ShortenedTitleKeepsItsUnit) {
    const Axis axis{QStringLiteral("memory of training one run, estimated"), QStringLiteral("MB")};
    const QFont font = kStyle.font(kStyle.labelPt);
    EXPECT_EQ(titleWithin(axis, font, 1000), axis.title());
    const QString cut = titleWithin(axis, font, 200);
    EXPECT_TRUE(cut.endsWith(QStringLiteral("… (MB)"))) << cut.toStdString();
    EXPECT_LE(QFontMetricsF(font).horizontalAdvance(cut), 200);
}

TEST(AxisMarks, ShortenedTitleHasNoPartOfAFormula) {
    const Axis axis{QStringLiteral("distance Δ = m − n"), QStringLiteral("tokens")};
    const QFont font = kStyle.font(kStyle.labelPt);
    const double width = QFontMetricsF(font).horizontalAdvance(axis.title());
    EXPECT_EQ(titleWithin(axis, font, width + 1), axis.title());
    EXPECT_EQ(titleWithin(axis, font, width - 5), "distance Δ (tokens)");
}

TEST(FigureDots, AreDrawnOnlyForDistantMeasurements) {
    Figure figure;
    figure.x.logarithmic = true;
    figure.x.minimum = 1;
    figure.x.maximum = 1e6;
    figure.y.minimum = 0;
    figure.y.maximum = 2;
    // These points are far apart on a linear axis and close together on a logarithmic one.
    figure.curves.push_back(lineOf({9.8e5, 1e6}, {1, 1}));
    Painted painted(figure, {420, 280});
    EXPECT_EQ(painted.plot.graphCount(), 1);
    figure.curves[0] = lineOf({10, 1e5}, {1, 1});
    painted.renderer.show(figure, kStyle);
    EXPECT_EQ(painted.plot.graphCount(), 2) << "one dot per measurement";
    figure.curves[0].dots = false;
    painted.renderer.show(figure, kStyle);
    EXPECT_FALSE(painted.plot.graph(1)->visible());
}

TEST(FigureLegend, NamesPointsBarsAndSecondaryLinesBelowTheAxes) {
    Figure figure;
    const auto add = [&figure](const char* label, FigureCurve::Shape shape, qsizetype count, bool companion = false) {
        FigureCurve curve;
        curve.label = QString::fromUtf8(label);
        curve.shape = shape;
        curve.companion = companion;
        for (qsizetype i = 0; i < count; ++i) {
            curve.x.append(static_cast<double>(i));
            curve.y.append(1.0 + static_cast<double>(i));
        }
        figure.curves.push_back(curve);
    };
    add("end label", FigureCurve::Shape::line, 5);
    add("unscaled", FigureCurve::Shape::line, 5, true);
    add("truncate", FigureCurve::Shape::points, 5);
    add("one point", FigureCurve::Shape::points, 1);
    add("bars", FigureCurve::Shape::bars, 5);
    EXPECT_TRUE(FigureHead(figure, kStyle, {420, 280}).legendTexts().isEmpty());
    figure.hasLegend = true;
    EXPECT_EQ(FigureHead(figure, kStyle, {420, 280}).legendTexts(), (QStringList{"unscaled", "truncate", "bars"}));
    EXPECT_EQ(FigureHead(figure, kStyle, {420, 280}).linesBelow(), 1);
    EXPECT_EQ(FigureHead(figure, kStyle, {110, 280}).linesBelow(), 3);  // one entry per line
    figure.curves.resize(2);
    EXPECT_EQ(FigureHead(figure, kStyle, {420, 280}).linesBelow(), 0);  // a legend of one entry says nothing
}

}  // namespace
}  // namespace ropelab::ui
