#include "core/stats/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace ropelab {
namespace {

using SmoothedValues = std::vector<double>;

TEST(Smooth, ReturnsTheDebiasedMovingAverage) {
    // With w = 0.5, a is 0.5, 1.25 and 2.125, and the divisors 1 − wⁿ are 1/2, 3/4 and 7/8.
    const SmoothedValues smoothed = smooth(SmoothedValues{1, 2, 3}, 0.5);
    ASSERT_EQ(smoothed.size(), 3U);
    EXPECT_NEAR(smoothed[0], 1, 1e-15);
    EXPECT_NEAR(smoothed[1], 1.25 / 0.75, 1e-15);
    EXPECT_NEAR(smoothed[2], 2.125 / 0.875, 1e-15);
}

TEST(Smooth, PreservesConstants) {
    for (const double value : smooth(SmoothedValues(200, 4.17), 0.99)) EXPECT_NEAR(value, 4.17, 1e-12);
}

TEST(Smooth, WeightZeroReturnsTheValues) {
    const SmoothedValues values = {3, -1, 1e-9, 7};
    EXPECT_EQ(smooth(values, 0), values);
    EXPECT_TRUE(smooth({}, 0.9).empty());
}

TEST(Smooth, SkipsValuesThatAreNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const SmoothedValues with = smooth(SmoothedValues{nan, 1, INFINITY, 2, nan, 3}, 0.6);
    const SmoothedValues without = smooth(SmoothedValues{1, 2, 3}, 0.6);
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
