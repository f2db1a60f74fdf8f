#include "core/stats/descriptive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ropelab {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Data: Student 1908 (R's data set `sleep`), first drug. R 4 prints the mean 0.75 and this interval for t.test(extra).
TEST(Describe, AgreesWithTheSleepData) {
    const std::vector<double> extra = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const Description description = describe(extra);
    EXPECT_EQ(description.n, 10);
    EXPECT_NEAR(description.mean, 0.75, 1e-15);
    EXPECT_NEAR(description.standard_deviation, 1.789010, 1e-6);
    EXPECT_EQ(description.minimum, -1.6);
    EXPECT_EQ(description.maximum, 3.7);
    EXPECT_NEAR(description.standard_error, 1.789010 / std::sqrt(10.0), 1e-6);
    EXPECT_NEAR(description.confidence_low, -0.5297804, 1e-6);
    EXPECT_NEAR(description.confidence_high, 2.0297804, 1e-6);
}

TEST(Describe, SmallSamplesHaveOnlySomeStatistics) {
    const Description none = describe({});
    EXPECT_EQ(none.n, 0);
    EXPECT_TRUE(std::isnan(none.mean));
    const Description one = describe(std::vector<double>{3});
    EXPECT_EQ(one.mean, 3);
    EXPECT_EQ(one.minimum, 3);
    EXPECT_TRUE(std::isnan(one.standard_deviation));
    EXPECT_TRUE(std::isnan(one.confidence_low));
}

// Quantile of Student's t distribution with 4 degrees of freedom: scipy.stats.t.ppf(0.975, 4) = 2.776445.
TEST(MeanInterval, UsesStudentsQuantile) {
    EXPECT_NEAR(mean_interval(3, 2, 4).low, 3 - 2 * 2.776445, 1e-5);
    EXPECT_NEAR(mean_interval(3, 2, 4).high, 3 + 2 * 2.776445, 1e-5);
    EXPECT_TRUE(std::isnan(mean_interval(3, 2, 0).low));
    EXPECT_TRUE(std::isnan(mean_interval(3, 2, 0, 0.9).low));
}

// Quantiles with 1 degree of freedom: tan(0.475·π) = 12.706205 and tan(0.45·π) = 6.313752.
TEST(MeanInterval, TwoValuesAreEnough) {
    EXPECT_NEAR(mean_interval(3, 2, 1).high, 3 + 2 * 12.706205, 1e-5);
    EXPECT_NEAR(mean_interval(3, 2, 1, 0.9).low, 3 - 2 * 6.313752, 1e-5);
    EXPECT_NEAR(mean_interval(3, 2, 1, 0.9).high, 3 + 2 * 6.313752, 1e-5);
}

// Clopper and Pearson's interval of n of n successes begins at 0.025^(1/n).
TEST(ShareInterval, IsExactIfAllUnitsAgree) {
    EXPECT_NEAR(share_interval(1, 0, 1).low, std::sqrt(0.025), 1e-12);
    EXPECT_EQ(share_interval(1, 0, 1).high, 1);
    EXPECT_EQ(share_interval(0, 0, 3).low, 0);
    EXPECT_NEAR(share_interval(0, 0, 3).high, 0.602365, 1e-6);  // 4 units: 1 − 0.025^(1/4)
    EXPECT_NEAR(share_interval(0.5, 0.1, 4).low, 0.5 - 0.2776445, 1e-6);
    EXPECT_EQ(share_interval(0.9, 0.1, 4).high, 1);
    EXPECT_TRUE(std::isnan(share_interval(1, 0, 0).low));
}

TEST(Describe, ExcludesValuesThatAreNotFinite) {
    const Description description = describe(std::vector<double>{nan, 1, INFINITY, 3, -INFINITY});
    EXPECT_EQ(description.n, 2);
    EXPECT_EQ(description.mean, 2);
    EXPECT_NEAR(description.standard_deviation, std::sqrt(2.0), 1e-15);
}

TEST(Describe, CachedQuantileIsCorrectForChangingSampleSizes) {
    const std::vector<double> large = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const std::vector<double> small = {1, 2, 3};
    const double before = describe(large).confidence_high;
    // The 0.975 quantile of t with 2 degrees of freedom is 4.302653.
    EXPECT_NEAR(describe(small).confidence_high, 2 + 4.302653 / std::sqrt(3.0), 1e-6);
    EXPECT_EQ(describe(large).confidence_high, before);
}

TEST(Describe, StandardDeviationOfEqualValuesIsZero) {
    const Description description = describe(std::vector<double>(7, 0.1));
    EXPECT_EQ(description.mean, 0.1);
    EXPECT_EQ(description.standard_deviation, 0);
}

TEST(Describe, StatisticsShiftAndScaleWithTheValues) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(1.5, 0.2);
    std::vector<double> values(50);
    for (double& value : values) value = normal(random);
    const Description before = describe(values);
    for (double& value : values) value = 1e6 + 2 * value;
    const Description after = describe(values);
    EXPECT_NEAR(after.mean, 1e6 + 2 * before.mean, 1e-8);
    EXPECT_NEAR(after.standard_deviation, 2 * before.standard_deviation, 1e-8);
    EXPECT_LT(after.confidence_low, after.mean);
    EXPECT_NEAR(after.confidence_low + after.confidence_high, 2 * after.mean, 1e-8);
}

// The quantiles of Student's t distribution with 2 degrees of freedom are 4.302653 at 0.975 and 6.205347 at 0.9875
// (SciPy 1.17.1): two intervals of 97.5 % hold together with 95 %.
TEST(Descriptive, IntervalHasAnyConfidence) {
    const Interval usual = mean_interval(1, 0.1, 2, 0.95);
    EXPECT_NEAR(usual.low, 1 - 0.4302653, 1e-7);
    EXPECT_NEAR(usual.low, mean_interval(1, 0.1, 2).low, 1e-12);
    EXPECT_NEAR(mean_interval(1, 0.1, 2, 0.975).high, 1.6205347, 1e-7);
    EXPECT_TRUE(std::isnan(mean_interval(1, 0.1, 0, 0.95).low));
}

}  // namespace
}  // namespace ropelab
