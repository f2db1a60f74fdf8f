// What a figure on paper has instead of what only a window can show.
#include "ui/figure/paint/printed_figure.h"

#include <gtest/gtest.h>

#include "ui/figure/export/figure_page.h"
#include "ui/figure/paint/axis_marks.h"
#include "ui/figure/paint/figure_curves.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {
namespace {

FigureStyle paper() {
    FigureStyle style = FigureStyle::print(Theme::light(), 8, 10);
    style.dashes = true;
    return style;
}

FigureCurve lineOf(const QString& label, const QList<double>& y, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.ink = ink;
    curve.y = y;
    for (qsizetype i = 0; i < y.size(); ++i) curve.x.append(static_cast<double>(i));
    return curve;
}

TEST(PrintedFigure, EqualCurvesAreOneWithAllNames) {
    Figure figure;
    figure.curves = {lineOf("a", {1, 2}, Ink::data(0)), lineOf("b", {1, 3}, Ink::data(1)),
                     lineOf("c", {1, 2}, Ink::data(2))};
    const Figure printed = printedFigure(figure, paper(), 5000);
    ASSERT_EQ(printed.curves.size(), 2U);
    EXPECT_EQ(printed.curves[0].label, "a; c");
    EXPECT_EQ(printed.curves[1].label, "b");
    EXPECT_EQ(figure.curves.size(), 3U);
    EXPECT_EQ(printed.note, "");
    figure.y.unit = "nats";
    figure.curves[2].y[1] = 2.002;  // the line of a covers it
    const Figure covered = printedFigure(figure, paper(), 5000);
    EXPECT_EQ(covered.curves[0].label, "a; c");
    EXPECT_EQ(covered.note, "curves that cover each other, at most 0.002 nats apart, have one entry");
}

TEST(PrintedFigure, BandsCanBeSeenOnThePaperOfEachTheme) {
    for (const Theme* theme : {&Theme::light(), &Theme::dark(), &Theme::highContrast()}) {
        for (int i = 0; i < 7; ++i) {
            const QColor& paper = theme->paper;
            const QColor ink = theme->dataColor(i);
            const double opacity = opacityOfBand(ink, paper);
            const auto mixed = [opacity](int from, int to) { return static_cast<int>(from + opacity * (to - from)); };
            const QColor shown(mixed(paper.red(), ink.red()), mixed(paper.green(), ink.green()),
                               mixed(paper.blue(), ink.blue()));
            EXPECT_NEAR(contrastRatio(shown, paper), 1.52, 0.05) << ink.name().toStdString();
            EXPECT_GT(contrastRatio(ink, shown), 1.4) << "a line of its colour: " << ink.name().toStdString();
        }
    }
}

TEST(PrintedFigure, LinesOfOneColourHaveDifferentDashes) {
    Figure figure;
    for (int i = 0; i < 5; ++i) {
        figure.curves.push_back(lineOf(QString::number(i), {1.0 * i, 2.0 * i + 1}, {Ink::Kind::rotated}));
    }
    figure.curves[1].emphasis = FigureCurve::Emphasis::picked;  // a wider line is no other pattern
    const FigureStyle style = paper();
    const Figure printed = printedFigure(figure, style, 5000);
    QList<QList<double>> patterns;
    for (const FigureCurve& curve : printed.curves) {
        const QPen pen = style.penOf(curve);
        const QList<double> pattern = pen.style() == Qt::SolidLine ? QList<double>() : pen.dashPattern();
        EXPECT_FALSE(patterns.contains(pattern)) << curve.label.toStdString();
        patterns << pattern;
    }
    // Shades of a colour are alike in a greyscale print.
    figure.curves = {lineOf("seed 1", {1, 2}, Ink::data(3)), lineOf("seed 2", {2, 3}, Ink::data(3, 1))};
    const Figure seeds = printedFigure(figure, style, 5000);
    EXPECT_NE(style.penOf(seeds.curves[0]).dashPattern(), style.penOf(seeds.curves[1]).dashPattern());
}

TEST(PrintedFigure, TheNamesOfTwoSettingsAreColoursAndDashes) {
    Figure figure;
    for (int theta = 0; theta < 5; ++theta) {
        for (int part = 0; part < 4; ++part) {
            const int index = 4 * theta + part;
            figure.curves.push_back(
                lineOf(QString("θ 10%1, %2 %").arg(theta).arg(25 * part + 25), {1.0 * index, 2.0}, Ink::data(index)));
            figure.bands.push_back({"", Ink::data(index), {0, 1}, {0, 0}, {1, 1}});
        }
    }
    figure.curves.push_back(lineOf("RoPE 0 %", {9, 9}, Ink::data(20)));
    const FigureStyle style = paper();
    const Figure printed = printedFigure(figure, style, 5000);
    QStringList legend;
    QList<QPen> looks;
    for (const FigureCurve& curve : printed.curves) {
        if (!curve.label.isEmpty()) legend << curve.label;
        if (curve.y.size() == 2 && std::isnan(curve.y[0])) continue;  // only in the legend
        EXPECT_FALSE(looks.contains(style.penOf(curve)));
        looks << style.penOf(curve);
    }
    EXPECT_EQ(looks.size(), 21);
    EXPECT_EQ(legend.join('|'), "θ 100|θ 101|θ 102|θ 103|θ 104|25 %|50 %|75 %|100 %|RoPE 0 %");
    EXPECT_TRUE(printed.hasNamesBelow);
    EXPECT_EQ(printed.bands[7].ink, Ink::data(1)) << "the band of θ 101, 100 %";
    // Seeds are shades of one colour on screen.
    Figure seeds;
    for (int i = 0; i < 9; ++i) {
        seeds.curves.push_back(
            lineOf(QString("θ %1, seed %2").arg(i / 3).arg(i % 3), {1.0 * i, 2.0}, Ink::data(i / 3, i % 3)));
    }
    looks.clear();
    for (const FigureCurve& curve : printedFigure(seeds, style, 5000).curves) {
        if (!curve.label.isEmpty()) continue;
        EXPECT_FALSE(looks.contains(style.penOf(curve)));
        looks << style.penOf(curve);
    }
    EXPECT_EQ(looks.size(), 9);
    // Names that are no combinations stay at the lines, with colours of their own.
    figure.bands.clear();
    for (std::size_t i = 0; i < figure.curves.size(); ++i) figure.curves[i].label = QString("run %1, a%1").arg(i);
    EXPECT_EQ(printedFigure(figure, style, 50000).curves[20].label, "run 20, a20");
}

TEST(PrintedFigure, NamesOfPointsWithoutSpaceAreInTheNote) {
    Figure figure;
    for (const char* name : {"a", "b", "c"}) {
        figure.curves.push_back(lineOf(name, {1}, Ink::data(0)));
        figure.curves.back().shape = FigureCurve::Shape::points;
    }
    figure.note = "points: models";
    figure.x.minimum = figure.y.minimum = -1;
    figure.x.maximum = figure.y.maximum = 99;
    const auto labels = [](const Figure& shown) {
        return shown.curves[0].label + shown.curves[1].label + shown.curves[2].label;
    };
    for (std::size_t i = 0; i < 3; ++i) figure.curves[i].y = {40.0 * static_cast<double>(i)};
    const Figure numbered = withNumberedPoints(figure, {"a", "c"});
    EXPECT_EQ(numbered.note, QString("points: models; 1\u00A0c; 2\u00A0a"));
    EXPECT_EQ(labels(numbered), "2b1");
    // Points that are close together share the number of the upper one.
    for (std::size_t i = 0; i < 3; ++i) figure.curves[i].y = {static_cast<double>(i)};
    const Figure shared = withNumberedPoints(figure, {"a", "b", "c"});
    EXPECT_TRUE(shared.note.endsWith("share a number, from the top; 1\u00A0c, b, a")) << shared.note.toStdString();
    EXPECT_EQ(labels(shared), "1");
}

TEST(PrintedFigure, PointsAtOnePlaceHaveOneName) {
    std::vector<FigureCurve> points;
    for (const auto& [name, y] : {std::pair("a", 1.0), std::pair("b", 2.0), std::pair("c", 1.0), std::pair("d", 1.0)}) {
        points.push_back(lineOf(name, {y}, Ink::data(0)));
    }
    points[3].ink = Ink::data(1);
    joinPoints(points);
    QStringList names;
    for (const FigureCurve& point : points) names << point.label;
    EXPECT_EQ(names.join('|'), "a +1|b|d") << "another colour tells something else";
}

TEST(PrintedFigure, CurvesThatCoverEachOtherAreOneWithAllNames) {
    Figure figure;
    figure.curves = {lineOf("a", {0, 1}, Ink::data(0)), lineOf("b", {0.001, 1}, Ink::data(1)),
                     lineOf("c", {0.01, 1}, Ink::data(2))};
    EXPECT_EQ(printedFigure(figure, paper(), 5000).curves.size(), 2U) << "less than a line's width apart";
    figure.y.logarithmic = true;
    figure.curves = {lineOf("a", {1e-6, 1}, Ink::data(0)), lineOf("b", {1.01e-6, 1}, Ink::data(1)),
                     lineOf("c", {2e-6, 1}, Ink::data(2))};
    EXPECT_EQ(printedFigure(figure, paper(), 5000).curves.size(), 2U);
}

TEST(PrintedFigure, SecondaryLinesOfOneColourHaveDifferentDashes) {
    Figure figure;
    for (int i = 0; i < 3; ++i) {
        figure.curves.push_back(lineOf(QString::number(i), {1.0 * i, 2.0 * i + 1}, {Ink::Kind::quiet}));
        figure.curves.back().companion = figure.curves.back().isNamed = true;
    }
    const FigureStyle style = paper();
    const Figure printed = printedFigure(figure, style, 5000);
    QList<QList<double>> patterns;
    for (const FigureCurve& curve : printed.curves) {
        const QPen pen = style.penOf(curve);
        EXPECT_NE(pen.style(), Qt::SolidLine) << "a secondary line is dashed";
        EXPECT_FALSE(patterns.contains(pen.dashPattern())) << curve.label.toStdString();
        patterns << pen.dashPattern();
    }
}

// Without it, the mark of 6.25 % between 0 and 10 % had no number.
TEST(PrintedFigure, NumbersOfCloseMarksAreInASecondRow) {
    Axis axis{"fraction", "%"};
    axis.marks = {0, 6.25, 10, 25, 100};
    const AxisScale scale{0, 100, false, 1600};
    const AxisMarks marks = xAxisMarks(axis, scale, paper(), 0, 0, 100);
    EXPECT_EQ(marks.ticks.labels, QStringList({"0", "\n6.25", "10", "25", "100"}));
    EXPECT_GT(marks.extent, xAxisMarks({"step", {}}, scale, paper(), 0, 0, 100).extent);
    FigureStyle window = paper();
    window.onScreen = true;
    EXPECT_EQ(xAxisMarks(axis, scale, window, 0, 0, 100).ticks.labels[1], QString()) << "the pointer tells it";
}

// Ten of forty values of θ had a label, in pairs of neighbours.
TEST(PrintedFigure, ManyValuesOfALogarithmicAxisAreMarksBetweenDecades) {
    Axis axis{"θ", {}, true};
    for (int i = 0; i < 40; ++i) axis.marks << std::round(100 * std::pow(1.27, i));
    const AxisMarks marks = xAxisMarks(axis, {90, 1.25e6, true, 1840}, paper(), 0, 0, 100);
    EXPECT_EQ(marks.ticks.labels, QStringList({"100", "1,000", "10,000", "100,000", "10⁶"}));
    EXPECT_EQ(marks.ticks.minor, axis.marks);
}

// Of 29 letters, every second one was missing although all had space.
TEST(PrintedFigure, NamesAreSmallerBeforeAnyIsLeftOut) {
    Axis letters = Axis::cells("token", 29);
    Axis words = Axis::cells("token", 16);
    for (int i = 0; i < 29; ++i) letters.categories << QString(QChar(97 + i % 26));
    for (int i = 0; i < 16; ++i) words.categories << QString("a word %1").arg(i);
    const FigureStyle style = paper();
    const AxisMarks row = xAxisMarks(letters, {-0.5, 28.5, false, 2100}, style, 0, 0, 100);
    EXPECT_FALSE(row.ticks.labels.contains(QString()));
    const AxisMarks column = yAxisMarks(words, {-0.5, 15.5, false, 1050}, style, 1000);
    EXPECT_FALSE(column.ticks.labels.contains(QString()));
    EXPECT_LT(column.points, style.tickPt);
    EXPECT_GE(column.points, FigureStyle::kLeastPt);
    EXPECT_FALSE(xAxisMarks(words, {-0.5, 15.5, false, 1050}, style, 0, 0, 1000).ticks.labels.contains(QString()));
    const AxisMarks narrow = yAxisMarks(words, {-0.5, 15.5, false, 500}, style, 1000);
    EXPECT_TRUE(narrow.ticks.labels.contains(QString())) << "no size is legible";
    EXPECT_EQ(narrow.points, style.tickPt);
}

// Two equal green lines, one of them named in the legend, meant two things.
TEST(PrintedFigure, LinesOfOneColourAreTogetherInTheLegend) {
    Figure figure;
    figure.verticalLines = {{.at = 1, .label = "first", .ink = {Ink::Kind::success}},
                            {.at = 2, .label = "all", .ink = {Ink::Kind::success}},
                            {.at = 3, .label = "other", .ink = {Ink::Kind::error}}};
    const Figure shown = withLinesInLegend(figure, {"all"});
    EXPECT_TRUE(shown.verticalLines[0].isInLegend);
    EXPECT_TRUE(shown.verticalLines[1].isInLegend);
    EXPECT_FALSE(shown.verticalLines[2].isInLegend);
}

TEST(PrintedFigure, LongNamesAreInTheLegend) {
    Figure figure;
    figure.curves = {lineOf("a name that takes much of the width", {1, 2}, Ink::data(0))};
    figure.horizontalLines = {{.at = 1, .label = "short", .labelAtEnd = true}};
    EXPECT_FALSE(printedFigure(figure, paper(), 20'000).hasNamesBelow);
    const Figure narrow = printedFigure(figure, paper(), 2340);
    EXPECT_TRUE(narrow.hasNamesBelow);
    EXPECT_FALSE(narrow.horizontalLines[0].isInLegend) << "there is space for it at its line";
    figure.horizontalLines[0].label = "another name that takes much of the width";
    EXPECT_TRUE(printedFigure(figure, paper(), 2340).horizontalLines[0].isInLegend);
}

TEST(PrintedFigure, TheCursorAtTheEndOfACourseIsLeftOut) {
    Figure figure;
    figure.curves = {lineOf("a", {1, 2, 3}, Ink::data(0))};
    figure.verticalLines = {{.at = 2, .label = "step 2", .handle = kTimeHandle}, {.at = 2, .label = "context"}};
    EXPECT_EQ(printedFigure(figure, paper(), 5000).verticalLines.size(), 1U);
    figure.verticalLines[0].at = 1;
    EXPECT_EQ(printedFigure(figure, paper(), 5000).verticalLines.size(), 2U);
}

// Beside each other in a column, drawings were cut.
TEST(FittedHeight, TwoDrawingsThatHaveNoSpaceBesideEachOtherAreStacked) {
    Figure drawing;
    drawing.drawing = [](QPainter&, const QRectF&, const FigureStyle&) {};
    drawing.drawingHeight = [](double, const FigureStyle& style) { return style.units(100); };
    Figure both;
    both.panels = {drawing, drawing};
    ExportOptions options;
    options.fontPt = 8;
    const auto height = [&](double width) {
        options.widthMm = width;
        options.heightMm = 30;
        return fittedHeightMm({&both, 1}, options);
    };
    EXPECT_GT(height(88.9), 1.8 * height(180));
    EXPECT_LT(height(180), 50);
    // Of three in a row, no quarter of the page is empty.
    both.panels.push_back(drawing);
    both.panelColumns = 3;
    EXPECT_GT(height(88.9), 2.5 * height(180));
}

TEST(FittedHeight, IsThatOfTheOptionsOrWhatTheFigureNeeds) {
    ExportOptions options;
    options.widthMm = 82.5;
    options.heightMm = 56;
    options.fontPt = 8;
    Figure figure;
    figure.x.label = "step";
    figure.y.label = "loss";
    figure.curves = {lineOf("a", {1, 2, 3}, Ink::data(0))};
    const auto height = [&] { return fittedHeightMm({&figure, 1}, options); };
    EXPECT_DOUBLE_EQ(height(), 56);
    figure.note = QString("a note that is longer than the plot is wide; ").repeated(8);
    const double withNote = height();
    EXPECT_GT(withNote, 60);
    EXPECT_LT(withNote, 90);
    figure.note.clear();
    for (int i = 0; i < 20; ++i) figure.curves.push_back(lineOf(QString::number(i), {1.0 * i, 2, 3}, Ink::data(i)));
    EXPECT_GT(height(), 70) << "all names are at the ends of their curves";
    figure.curves.clear();
    FigureMap map;
    map.columns = map.rows = 4;
    map.values = QList<float>(16, 1.0F);
    figure.map = map;
    figure.y.downwards = true;
    EXPECT_GT(height(), 70) << "a square map fills the width";
    EXPECT_LT(height(), 100);
}

}  // namespace
}  // namespace ropelab::ui
