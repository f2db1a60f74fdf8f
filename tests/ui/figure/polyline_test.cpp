#include "ui/figure/polyline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ropelab::ui {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

int pieces(const Polyline& line) {
    return line.x.isEmpty() ? 0 : 1 + static_cast<int>(std::count_if(line.y.begin(), line.y.end(), [](double y) {
                                      return std::isnan(y);
                                  }));
}

TEST(AxisScale, ConversionsAreInverse) {
    const AxisScale linear{2, 6, false, 400};
    EXPECT_DOUBLE_EQ(linear.toDevice(3), 100);
    EXPECT_DOUBLE_EQ(linear.fromDevice(100), 3);
    const AxisScale logarithmic{1, 100, true, 200};
    EXPECT_DOUBLE_EQ(logarithmic.toDevice(10), 100);
    EXPECT_DOUBLE_EQ(logarithmic.fromDevice(100), 10);
    EXPECT_TRUE(std::isnan(logarithmic.toDevice(0)));
    EXPECT_TRUE(std::isnan(logarithmic.toDevice(-1)));
}

TEST(AxisScale, ReversedAxisBeginsAtTheMaximum) {
    const AxisScale scale{2, 6, false, 400, true};
    EXPECT_DOUBLE_EQ(scale.toDevice(6), 0);
    EXPECT_DOUBLE_EQ(scale.toDevice(3), 300);
    EXPECT_DOUBLE_EQ(scale.fromDevice(300), 3);
}

TEST(Drawable, DoesNotChangeAShortCurve) {
    const QList<double> x = {0, 1, 2, 3};
    const QList<double> y = {0.1, 0.9, 0.3, 0.5};
    const Polyline line = drawable(x, y, {0, 3, false, 300}, {0, 1, false, 100});
    EXPECT_EQ(line.x, x);
    EXPECT_EQ(line.y, y);
}

TEST(Drawable, ThinsToAFewPointsPerColumnAndKeepsExtremes) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise;
    QList<double> x;
    QList<double> y;
    for (int i = 0; i < 100000; ++i) {
        x.append(i);
        y.append(noise(random));
    }
    y[31415] = 40;
    y[27182] = -40;
    const Polyline line = drawable(x, y, {0, 99999, false, 500}, {-50, 50, false, 300});
    EXPECT_LE(line.x.size(), 2 * 501 + 2);
    EXPECT_GE(line.x.size(), 2 * 499);
    EXPECT_TRUE(std::is_sorted(line.x.begin(), line.x.end()));
    EXPECT_EQ(*std::max_element(line.y.begin(), line.y.end()), 40);
    EXPECT_EQ(*std::min_element(line.y.begin(), line.y.end()), -40);
    EXPECT_EQ(line.x.first(), 0);
    EXPECT_EQ(line.x.last(), 99999);
    EXPECT_EQ(pieces(line), 1);
}

TEST(Drawable, HasGapsAtValuesThatCannotBeDrawn) {
    const AxisScale x{0, 6, false, 600};
    const Polyline line = drawable({0, 1, 2, 3, 4, 5}, {1, 2, kGap, 2, 3, 1}, x, {0, 4, false, 100});
    EXPECT_EQ(pieces(line), 2);
    const Polyline logarithmic = drawable({0, 1, 2, 3, 4, 5}, {1, 2, 0, 2, -3, 1}, x, {0.5, 4, true, 100});
    EXPECT_EQ(pieces(logarithmic), 3);  // the last two pieces are single points
    EXPECT_EQ(logarithmic.y.last(), 1);
    const Polyline infinite =
        drawable({0, 1, 2}, {1, std::numeric_limits<double>::infinity(), 2}, x, {0, 4, false, 100});
    EXPECT_EQ(pieces(infinite), 2);
}

TEST(Drawable, StaysInsideTheAxes) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0, 3);
    QList<double> x;
    QList<double> y;
    for (int i = 1; i <= 2000; ++i) {
        x.append(i);
        y.append(std::exp(noise(random)));
    }
    for (const bool logarithmic : {false, true}) {
        const AxisScale xScale{200.5, 900.25, logarithmic, 317};
        const AxisScale yScale{0.5, 3, logarithmic, 211};
        const Polyline line = drawable(x, y, xScale, yScale);
        ASSERT_GT(line.x.size(), 100);
        EXPECT_GT(pieces(line), 10);
        for (qsizetype i = 0; i < line.x.size(); ++i) {
            EXPECT_TRUE(xScale.contains(line.x[i])) << line.x[i];
            EXPECT_TRUE(std::isnan(line.y[i]) || yScale.contains(line.y[i])) << line.y[i];
        }
    }
}

TEST(Drawable, CutsLinesAtTheBorder) {
    const Polyline line = drawable({0, 10}, {0, 10}, {2, 8, false, 60}, {3, 7, false, 40});
    ASSERT_EQ(line.x.size(), 2);
    EXPECT_NEAR(line.x[0], 3, 1e-12);
    EXPECT_NEAR(line.y[0], 3, 1e-12);
    EXPECT_NEAR(line.x[1], 7, 1e-12);
    EXPECT_NEAR(line.y[1], 7, 1e-12);
    EXPECT_TRUE(drawable({0, 10}, {0, 1}, {2, 8, false, 60}, {3, 7, false, 40}).x.isEmpty());
    EXPECT_TRUE(drawable({}, {}, {2, 8, false, 60}, {3, 7, false, 40}).x.isEmpty());
}

TEST(Spread, DoesNotMoveDistantPositions) {
    EXPECT_EQ(spread({10, 30, 60}, 12, 0, 100), (QList<double>{10, 30, 60}));
}

TEST(Spread, MovesNeighboursApartAroundTheirMean) {
    const QList<double> places = spread({50, 50, 50}, 10, 0, 100);
    EXPECT_EQ(places, (QList<double>{40, 50, 60}));
}

TEST(Spread, StaysInTheRangeIfItIsLongEnough) {
    const QList<double> places = spread({1, 2, 98, 99, 100}, 15, 0, 100);
    EXPECT_GE(places.first(), 0);
    EXPECT_LE(places.last(), 100);
    for (qsizetype i = 1; i < places.size(); ++i) {
        EXPECT_GE(places[i] - places[i - 1], 15 - 1e-9);
    }
    EXPECT_TRUE(spread({}, 10, 0, 100).isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
