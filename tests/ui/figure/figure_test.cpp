#include "ui/figure/figure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ropelab::ui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Figure figureOf(const QList<double>& x, const QList<double>& y) {
    Figure figure;
    FigureCurve curve;
    curve.x = x;
    curve.y = y;
    figure.curves.push_back(curve);
    return figure;
}

TEST(AxisTitle, ContainsTheUnitIfThereIsOne) {
    EXPECT_EQ((Axis{.label = "loss", .unit = "nats"}.title()), "loss (nats)");
    EXPECT_EQ((Axis{.label = "iteration", .unit = ""}.title()), "iteration");
}

TEST(FigureRange, SpansFiniteValuesAndLines) {
    Figure figure = figureOf({0, 1, 2, 3}, {4, kNan, kInfinity, 2});
    figure.horizontalLines.push_back({1, "floor"});
    const Range y = yRange(figure);
    EXPECT_DOUBLE_EQ(y.minimum, 1 - 0.15);
    EXPECT_DOUBLE_EQ(y.maximum, 4 + 0.15);
    EXPECT_DOUBLE_EQ(xRange(figure).minimum, 0);
    EXPECT_DOUBLE_EQ(xRange(figure).maximum, 3);
}

TEST(FigureRange, LogarithmicAxisIgnoresValuesThatAreNotPositive) {
    Figure figure = figureOf({0, 1, 2, 3}, {-5, 0, 1, 100});
    figure.y.logarithmic = true;
    figure.x.logarithmic = true;
    EXPECT_NEAR(yRange(figure).minimum, std::pow(100, -0.05), 1e-12);
    EXPECT_NEAR(yRange(figure).maximum, std::pow(100, 1.05), 1e-9);
    EXPECT_DOUBLE_EQ(xRange(figure).minimum, 2);
}

TEST(FigureRange, EmptyFigureHasADefaultRange) {
    EXPECT_DOUBLE_EQ(yRange(Figure()).minimum, 0);
    EXPECT_DOUBLE_EQ(yRange(Figure()).maximum, 1);
    Figure figure = figureOf({1}, {kNan});
    figure.y.logarithmic = true;
    EXPECT_DOUBLE_EQ(yRange(figure).minimum, 0.1);
}

TEST(FigureRange, ExplicitEndsTakePrecedenceAndDiffer) {
    Figure figure = figureOf({0, 1}, {2, 2});
    EXPECT_LT(yRange(figure).minimum, 2);
    EXPECT_GT(yRange(figure).maximum, 2);
    figure.y.minimum = 5;
    EXPECT_DOUBLE_EQ(yRange(figure).minimum, 5);
    EXPECT_GT(yRange(figure).maximum, 5);
    figure.y.minimum = kNan;
    figure.y.maximum = 1;
    EXPECT_DOUBLE_EQ(yRange(figure).maximum, 1);
    EXPECT_LT(yRange(figure).minimum, 1);
}

}  // namespace
}  // namespace ropelab::ui
