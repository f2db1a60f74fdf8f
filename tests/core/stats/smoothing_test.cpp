#include "core/stats/smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace ropelab {
namespace {

using SmoothedValues = std::vector<double>;

TEST(Smooth, ReturnsTheDebiasedMovingAverage) {
    // With w = 0.5, a is 0.5, 1.25 and 2.125, and the divisors 1 − wⁿ are 1/2, 3/4 and 7/8.
    const SmoothedValues smoothed = smooth(SmoothedValues{1, 2, 3}, 0.5, Smoothing::average);
    ASSERT_EQ(smoothed.size(), 3U);
    EXPECT_NEAR(smoothed[0], 1, 1e-15);
    EXPECT_NEAR(smoothed[1], 1.25 / 0.75, 1e-15);
    EXPECT_NEAR(smoothed[2], 2.125 / 0.875, 1e-15);
}

// An average of the past lies above a curve that falls, by w/(1 − w) of its steps.
TEST(Smooth, DoesNotLagBehindALine) {
    SmoothedValues line(80);
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = 3 - 0.01 * static_cast<double>(i);
    line[20] = line[21] = std::numeric_limits<double>::quiet_NaN();
    const SmoothedValues smoothed = smooth(line, 0.9);
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (std::isnan(line[i])) continue;
        EXPECT_NEAR(smoothed[i], line[i], 1e-12) << i;
    }
    EXPECT_NEAR(smooth(line, 0.9, Smoothing::average).back() - line.back(), 0.01 * 9, 1e-3);
}

// The sum of the weights before a step, q/(1 + q) with q = w², is the height at its last value before the step.
TEST(Smooth, SpreadsAStepToBothSidesAndDoesNotOvershoot) {
    SmoothedValues step(400, 0);
    std::fill(step.begin() + 200, step.end(), 1);
    const SmoothedValues smoothed = smooth(step, 0.9);
    EXPECT_NEAR(smoothed[199], 0.81 / 1.81, 1e-12);
    EXPECT_NEAR(smoothed[200], 1 / 1.81, 1e-12);
    for (std::size_t i = 1; i < step.size(); ++i) EXPECT_GE(smoothed[i], smoothed[i - 1] - 1e-12) << i;
    EXPECT_NEAR(smoothed.front(), 0, 1e-12);
    EXPECT_NEAR(smoothed.back(), 1, 1e-12);
}

// Independent noise has the variance (1 − w)/(1 + w) of the values after the average, and nearly the same after lines.
TEST(Smooth, ReducesNoiseAsTheAverageOfTheSameWeight) {
    SmoothedValues impulse(401, 0);
    impulse[200] = 1;
    double squares = 0;
    for (const double weight : smooth(impulse, 0.9)) squares += weight * weight;
    EXPECT_NEAR(squares, 0.1 / 1.9, 0.001);
}

TEST(Smooth, PreservesConstantsAndFewValues) {
    for (const double value : smooth(SmoothedValues(200, 4.17), 0.99)) EXPECT_NEAR(value, 4.17, 1e-12);
    EXPECT_EQ(smooth(SmoothedValues{5}, 0.9), SmoothedValues{5});
    EXPECT_NEAR(smooth(SmoothedValues{5, 7}, 0.9).back(), 7, 1e-12);
}

TEST(Smooth, WeightZeroReturnsTheValues) {
    const SmoothedValues values = {3, -1, 1e-9, 7};
    EXPECT_EQ(smooth(values, 0), values);
    EXPECT_TRUE(smooth({}, 0.9).empty());
}

TEST(Smooth, SkipsValuesThatAreNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(smooth(SmoothedValues{1, nan, 2}, 0.6)[1]));
    const SmoothedValues with = smooth(SmoothedValues{nan, 1, INFINITY, 2, nan, 3}, 0.6, Smoothing::average);
    const SmoothedValues without = smooth(SmoothedValues{1, 2, 3}, 0.6, Smoothing::average);
    EXPECT_TRUE(std::isnan(with[0]));
    EXPECT_EQ(with[1], without[0]);
    EXPECT_EQ(with[2], INFINITY);
    EXPECT_EQ(with[3], without[1]);
    EXPECT_TRUE(std::isnan(with[4]));
    EXPECT_EQ(with[5], without[2]);
}

TEST(Smooth, ThrowsForWeightsOutsideTheRange) {
    for (const double weight : {1.0, -0.1, 2.0, std::nan("")})
        EXPECT_THROW(smooth(SmoothedValues{1}, weight), BadInput);
}

}  // namespace
}  // namespace ropelab
