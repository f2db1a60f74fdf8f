#include "ui/figure/compared_figure.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QSet>
#include <algorithm>
#include <cmath>

#include "ui/figure/compared_table.h"
#include "ui/figure/export/export.h"
#include "ui/figure/figure_style.h"

namespace ropelab::ui {
namespace {

const ComparedNames kNames{QStringLiteral("θ = 10k"), QStringLiteral("θ = 500k")};

/// Returns a figure with one line over 0, 1, 2, whose values are multiples of `factor`.
Figure lineFigure(double factor) {
    Figure figure;
    figure.name = QStringLiteral("line");
    figure.summary = QStringLiteral("The largest value is %1.").arg(3 * factor);
    figure.note = QStringLiteral("three points");
    figure.x.label = QStringLiteral("pair");
    figure.x.minimum = 0;
    figure.x.maximum = 2 * factor;
    figure.y.label = QStringLiteral("value");
    FigureCurve curve;
    curve.quantity = QStringLiteral("value");
    curve.ink = {Ink::Kind::rotated};
    curve.x = {0, 1, 2};
    curve.y = {factor, 2 * factor, 3 * factor};
    figure.curves = {curve};
    figure.verticalLines = {{1, QStringLiteral("same"), {Ink::Kind::quiet}},
                            {factor, QStringLiteral("context %1").arg(factor), {Ink::Kind::accent}, "context"}};
    figure.settings = {{QStringLiteral("factor"), factor}};
    return figure;
}

Figure mapFigure(float highest) {
    Figure figure;
    figure.x.label = QStringLiteral("position");
    figure.y.label = QStringLiteral("channel");
    FigureMap map;
    map.label = QStringLiteral("cosine");
    map.columns = 2;
    map.rows = 1;
    map.values = {0, highest};
    figure.map = map;
    return figure;
}

TEST(ComparedFigure, DrawsBothOnAxesThatContainBoth) {
    const Figure both = compareFigures(lineFigure(1), lineFigure(4), kNames);
    EXPECT_TRUE(both.panels.empty());
    EXPECT_EQ(both.name, "line");
    EXPECT_EQ(both.x.minimum, 0);
    EXPECT_EQ(both.x.maximum, 8);
    EXPECT_TRUE(std::isnan(both.y.minimum)) << "computed from all curves";
    EXPECT_GE(yRange(both).maximum, 12);
    EXPECT_LE(yRange(both).minimum, 1);
    ASSERT_EQ(both.curves.size(), 2U);
    EXPECT_EQ(both.curves[0].label, "A: θ = 10k");
    EXPECT_EQ(both.curves[0].ink, Ink{Ink::Kind::rotated});
    EXPECT_EQ(both.curves[1].label, "B: θ = 500k");
    EXPECT_EQ(both.curves[1].ink, Ink{Ink::Kind::compared});
    EXPECT_EQ(both.curves[1].y, (QList<double>{4, 8, 12}));
    EXPECT_EQ(both.note, "A: θ = 10k · B (dashed): θ = 500k; three points");
    EXPECT_EQ(both.summary, "A: θ = 10k. The largest value is 3. B: θ = 500k. The largest value is 12.");
    EXPECT_EQ(both.settings["A"].toObject()["factor"], 1);
    EXPECT_EQ(both.settings["B"].toObject()["factor"], 4);
}

TEST(ComparedFigure, EqualLinesAreOneAndOnlyThoseOfTheEditedSetupCanBeDragged) {
    ComparedNames names = kNames;
    for (const bool editsB : {false, true}) {
        names.editsB = editsB;
        const Figure both = compareFigures(lineFigure(3), lineFigure(4), names);
        ASSERT_EQ(both.verticalLines.size(), 3U);
        EXPECT_EQ(both.verticalLines[0].label, "same");
        EXPECT_EQ(both.verticalLines[1].label, "A: context 3");
        EXPECT_EQ(both.verticalLines[2].label, "B: context 4");
        EXPECT_EQ(both.verticalLines[2].ink, Ink{Ink::Kind::compared});
        EXPECT_EQ(both.verticalLines[1].handle, editsB ? "" : "context");
        EXPECT_EQ(both.verticalLines[2].handle, editsB ? "context" : "");
    }
}

TEST(ComparedFigure, EqualSetupsAreCalledEqual) {
    const ComparedNames names;
    const Figure both = compareFigures(lineFigure(1), lineFigure(1), names);
    EXPECT_EQ(both.note, "A and B are equal; three points");
    ASSERT_EQ(both.curves.size(), 1U);
    EXPECT_EQ(both.curves[0].label, "A and B");
    EXPECT_EQ(both.settings["compared"].toString(), "A and B are equal");
    EXPECT_EQ(kNames.titleOfBoth("; "), "A: θ = 10k; B: θ = 500k");
}

TEST(ComparedFigure, TheNoteSaysOnceWhatIsTrueForBoth) {
    Figure a = lineFigure(1);
    Figure b = lineFigure(4);
    a.note = "32 pairs (0 %: none; 10 %: 3); seed 1";
    b.note = "16 pairs; seed 1; 2 groups";
    EXPECT_EQ(compareFigures(a, b, kNames).note,
              "A: θ = 10k · B (dashed): θ = 500k; seed 1; A: 32 pairs (0 %: none; 10 %: 3); B: 16 pairs; 2 groups");
}

// The note announces what is drawn, and nothing else.
TEST(ComparedFigure, TheNoteSaysHowTheSecondSetupLooks) {
    Figure a = lineFigure(1);
    Figure b = lineFigure(4);
    a.verticalLines.clear();
    b.verticalLines.clear();
    a.curves.front().shape = b.curves.front().shape = FigureCurve::Shape::points;
    EXPECT_TRUE(compareFigures(a, b, kNames).note.startsWith("A: θ = 10k · B (hollow points): θ = 500k"));
    b.curves.front().solid = true;  // filled points tell something else
    EXPECT_TRUE(compareFigures(a, b, kNames).note.startsWith("A: θ = 10k · B: θ = 500k"));
    b.curves.push_back(b.curves.front());
    b.curves.back().solid = false;
    EXPECT_TRUE(compareFigures(a, b, kNames).note.startsWith("A: θ = 10k · B: θ = 500k")) << "some of B are filled";
}

TEST(ComparedFigure, ARowHasOneLabelWithBothNumbers) {
    Figure a = lineFigure(1);
    Figure b = lineFigure(4);
    a.horizontalLines = {{.at = 2, .label = QStringLiteral("13"), .labelAtEnd = true}};
    b.horizontalLines = {{.at = 2, .label = QStringLiteral("6"), .labelAtEnd = true}};
    const Figure both = compareFigures(a, b, kNames);
    ASSERT_EQ(both.horizontalLines.size(), 1U);
    EXPECT_EQ(both.horizontalLines.front().label, "A 13 · B 6");
}

TEST(ComparedFigure, ManyNamedCurvesAreBesideThoseOfTheOtherSetup) {
    Figure a = lineFigure(1);
    for (int i = 0; i < 4; ++i) {
        a.curves.push_back(a.curves.front());
        a.curves.back().label = QString::number(i);
    }
    EXPECT_TRUE(compareFigures(a, a, kNames).panels.empty());
    a.curves.front().label = QStringLiteral("fifth");
    EXPECT_EQ(compareFigures(a, a, kNames).panels.size(), 2U);
    EXPECT_TRUE(compareFigures(a, lineFigure(4), kNames).panels.empty()) << "only A has many";
}

// As a cache that does not depend on θ: one curve, and the points of both setups on it.
TEST(ComparedFigure, AFigureThatDoesNotDependOnTheSettingHasOneCurveWithTwoPoints) {
    FigureCurve point;
    point.shape = FigureCurve::Shape::points;
    point.label = QStringLiteral("now");
    point.x = {1};
    point.y = {2};
    Figure a = lineFigure(1);
    a.curves.push_back(point);
    const Figure both = compareFigures(a, a, kNames);
    ASSERT_EQ(both.curves.size(), 3U);
    EXPECT_EQ(both.curves[0].label, "A and B");
    EXPECT_EQ(both.curves[1].label, "A: now");
    EXPECT_EQ(both.curves[2].label, "B: now");
}

// The note says that B's points are hollow: their inside must be visible at every size and on a line.
TEST(ComparedFigure, PointsOfTheSecondSetupAreHollowAtEverySize) {
    for (const double unit : {0.8, 96.0 / 72, 2.0, 4.0}) {
        const FigureStyle style = FigureStyle::screen(Theme::light(), unit);
        for (const double diameterPt : {0.5, 1.5, 3.0, 8.0}) {
            for (const auto shape : {FigureCurve::Shape::points, FigureCurve::Shape::line}) {
                FigureCurve curve;
                curve.shape = shape;
                curve.ink = {Ink::Kind::compared};
                const auto look = style.pointsOf(curve, style.units(diameterPt));
                QImage image(64, 64, QImage::Format_RGB32);
                image.fill(style.theme.paper);
                QPainter painter(&image);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.setPen(look.pen);
                painter.setBrush(look.brush);
                painter.drawEllipse(QPointF(32, 32), look.diameter / 2, look.diameter / 2);
                painter.end();
                EXPECT_EQ(image.pixelColor(32, 32), style.theme.paper) << unit << " " << diameterPt;
                EXPECT_NE(image.pixelColor(static_cast<int>(32 + look.diameter / 2), 32), style.theme.paper);
                curve.ink = {Ink::Kind::rotated};
                EXPECT_EQ(style.pointsOf(curve, 3).brush.color(), style.theme.rotated);
            }
        }
    }
}

// The pairs beyond the context were dots with a contrast of 1.56:1 on white, and 1.81:1 in the dark.
TEST(FigureStyle, DimmedPointsAreRingsInTheFullColour) {
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const FigureStyle style = FigureStyle::screen(theme, 1);
        FigureCurve curve;
        curve.shape = FigureCurve::Shape::points;
        curve.ink = {Ink::Kind::rotated};
        curve.emphasis = FigureCurve::Emphasis::dimmed;
        const auto look = style.pointsOf(curve, style.units(4.6));
        EXPECT_EQ(look.pen.color(), theme.rotated);  // 3:1 on the paper, as the tests of themes check
        EXPECT_EQ(look.brush.style(), Qt::NoBrush);
        curve.shape = FigureCurve::Shape::line;
        EXPECT_LT(style.penOf(curve).color().alphaF(), 0.5) << "a line behind others stays faint";
    }
}

TEST(ComparedFigure, BarsOfTheSecondSetupArePoints) {
    Figure bars = lineFigure(1);
    bars.curves[0].shape = FigureCurve::Shape::bars;
    const Figure both = compareFigures(bars, bars, kNames);
    EXPECT_EQ(both.curves[0].shape, FigureCurve::Shape::bars);
    EXPECT_EQ(both.curves[1].shape, FigureCurve::Shape::points);
    EXPECT_EQ(both.curves[1].quantity, "B: value");
}

TEST(ComparedFigure, AFigureWithoutCurvesIsNamedInTheNote) {
    Figure nothing = lineFigure(1);
    nothing.curves.clear();
    nothing.x.maximum = std::nan("");
    nothing.emptyText = QStringLiteral("No pair is rotated.");
    for (const bool first : {true, false}) {
        const Figure both =
            first ? compareFigures(nothing, lineFigure(2), kNames) : compareFigures(lineFigure(2), nothing, kNames);
        EXPECT_EQ(both.curves.size(), 1U);
        EXPECT_EQ(both.x.maximum, 4);
        EXPECT_TRUE(both.note.contains(first ? "A: No pair is rotated." : "B: No pair is rotated."));
    }
}

TEST(ComparedFigure, MapsAreSideBySideWithTheSameColours) {
    EXPECT_FALSE(canOverlay(mapFigure(1), mapFigure(1)));
    const Figure both = compareFigures(mapFigure(1), mapFigure(5), kNames);
    ASSERT_EQ(both.panels.size(), 2U);
    EXPECT_FALSE(isEmpty(both));
    EXPECT_EQ(both.panels[0].panelTitle, "A: θ = 10k");
    EXPECT_EQ(both.panels[1].panelTitle, "B: θ = 500k");
    for (const Figure& panel : both.panels) {
        EXPECT_EQ(panel.map->minimum, 0);
        EXPECT_EQ(panel.map->maximum, 5);
    }
    const QString csv = QString::fromUtf8(figureCsv(both));
    EXPECT_TRUE(csv.contains("# panel: A: θ = 10k")) << csv.toStdString();
    EXPECT_TRUE(csv.contains("# panel: B: θ = 500k"));
    EXPECT_TRUE(csv.contains("0,0,5"));
    // Both halves of the exported picture contain a map.
    ExportOptions options;
    options.widthMm = 160;
    options.heightMm = 40;
    options.dpi = 127;
    const QImage picture = figureImage(both, options);
    const auto colours = [&](int from, int to) {
        QSet<QRgb> seen;
        for (int x = from; x < to; ++x) seen.insert(picture.pixel(x, picture.height() / 2));
        return seen.size();
    };
    EXPECT_GT(colours(0, picture.width() / 2), 2);
    EXPECT_GT(colours(picture.width() / 2, picture.width()), 2);
}

// Where 0 is white, as the paper is, the axes beside the smaller map looked like values.
TEST(ComparedFigure, AxesBesideTheSmallerMapAreGreyAndNamed) {
    Figure large = mapFigure(1);
    large.x.minimum = -0.5;
    large.x.maximum = 9.5;
    Figure both = compareFigures(mapFigure(1), large, kNames);
    EXPECT_TRUE(hasLabelledBlank(both.panels[0]));
    EXPECT_EQ(both.panels[0].map->blankLabel, "not in this setup");
    EXPECT_FALSE(hasLabelledBlank(compareFigures(mapFigure(1), mapFigure(5), kNames).panels[0]));
    Figure causal = mapFigure(1);  // whose blank cells have no values in both
    causal.map->values.first() = std::nanf("");
    both = compareFigures(causal, large, kNames);
    EXPECT_FALSE(hasLabelledBlank(both.panels[0]));
}

TEST(ComparedFigure, FiguresOfDifferentUnitsAreSideBySide) {
    Figure seconds = lineFigure(1);
    seconds.y.unit = QStringLiteral("s");
    EXPECT_FALSE(canOverlay(lineFigure(1), seconds));
    EXPECT_EQ(compareFigures(lineFigure(1), seconds, kNames).panels.size(), 2U);
}

TEST(ComparedTable, JoinsRowsOfTheSameKeyWithTheirDifference) {
    const FigureTable a{{"pair", "value", "only A"}, {{0, 1, 2}, {1, 2, 4}, {7, 8, 9}}};
    const FigureTable b{{"pair", "value"}, {{1, 2, 3}, {3, 6, 5}}};
    const FigureTable difference = comparedTable(a, b, false);
    EXPECT_EQ(difference.names, (QStringList{"pair", "A · value", "B · value", "B − A · value", "A · only A"}));
    EXPECT_EQ(difference.columns[0], (QList<double>{0, 1, 2, 3}));
    EXPECT_TRUE(std::isnan(difference.columns[2][0]));
    EXPECT_EQ(difference.columns[3][1], 1);
    EXPECT_EQ(difference.columns[3][2], 2);
    EXPECT_TRUE(std::isnan(difference.columns[3][3]));
    const FigureTable ratio = comparedTable(a, b, true);
    EXPECT_EQ(ratio.names[3], "B / A · value");
    EXPECT_EQ(ratio.columns[3][1], 1.5);
}

TEST(ComparedTable, TablesWithoutACommonKeyAreSideBySide) {
    const FigureTable a{{"periods", "value"}, {{2, 1}, {1, 2}}};
    const FigureTable both = comparedTable(a, a, false);
    EXPECT_EQ(both.names, (QStringList{"A · periods", "A · value", "B · periods", "B · value"}));
    EXPECT_EQ(both.columns[3], (QList<double>{1, 2}));
}

TEST(ComparedFigure, CurvesOverTheSameXHaveADifferenceInTheCsv) {
    const QString csv = QString::fromUtf8(figureCsv(compareFigures(lineFigure(1), lineFigure(4), kNames)));
    EXPECT_TRUE(csv.contains("pair,A · value,B · value,B − A · value")) << csv.toStdString();
    EXPECT_TRUE(csv.contains("\n2,3,12,9\n"));
}

TEST(ComparedFigure, TheSecondSetupHasAColourAndDashesOfItsOwn) {
    FigureCurve curve;
    curve.ink = {Ink::Kind::compared};
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        const FigureStyle style = FigureStyle::screen(*theme, 1);
        EXPECT_EQ(style.penOf(curve).style(), Qt::CustomDashLine);
        EXPECT_EQ(style.penOf(curve).color(), theme->compared);
        for (const QColor& other : theme->data) EXPECT_NE(other, theme->compared);
        for (const QColor& other : {theme->accent, theme->success, theme->error, theme->rotated, theme->unrotated}) {
            EXPECT_NE(other, theme->compared);
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
