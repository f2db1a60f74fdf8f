#include "core/stats/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/spec/error.h"

namespace ropelab {
namespace {

using Values = std::vector<double>;

TEST(Smooth, IsTheDebiasedMovingAverage) {
    // By hand, w = 0.5: a = 0.5, 1.25, 2.125; debiased by 1/2, 3/4, 7/8.
    const Values smoothed = smooth(Values{1, 2, 3}, 0.5);
    ASSERT_EQ(smoothed.size(), 3U);
    EXPECT_NEAR(smoothed[0], 1, 1e-15);
    EXPECT_NEAR(smoothed[1], 1.25 / 0.75, 1e-15);
    EXPECT_NEAR(smoothed[2], 2.125 / 0.875, 1e-15);
}

TEST(Smooth, StartsAtTheFirstValueAndKeepsConstants) {
    for (const double value : smooth(Values(200, 4.17), 0.99)) EXPECT_NEAR(value, 4.17, 1e-12);
}

TEST(Smooth, WeightZeroChangesNothing) {
    const Values values = {3, -1, 1e-9, 7};
    EXPECT_EQ(smooth(values, 0), values);
    EXPECT_TRUE(smooth({}, 0.9).empty());
}

TEST(Smooth, SkipsWhatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Values with = smooth(Values{nan, 1, INFINITY, 2, nan, 3}, 0.6);
    const Values without = smooth(Values{1, 2, 3}, 0.6);
    EXPECT_TRUE(std::isnan(with[0]));
    EXPECT_EQ(with[1], without[0]);
    EXPECT_EQ(with[2], INFINITY);
    EXPECT_EQ(with[3], without[1]);
    EXPECT_TRUE(std::isnan(with[4]));
    EXPECT_EQ(with[5], without[2]);
}

TEST(Smooth, RefusesWeightsThatForgetNothing) {
    for (const double weight : {1.0, -0.1, 2.0, std::nan("")}) EXPECT_THROW(smooth(Values{1}, weight), BadInput);
}

}  // namespace
}  // namespace ropelab
