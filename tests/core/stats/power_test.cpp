#include "core/stats/t_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace ropelab {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Reference values: scipy 1.17.1, nct.sf(tc, df, ncp) + nct.cdf(-tc, df, ncp) with tc = t.ppf(0.975, df).
TEST(Power, AgreesWithTheNoncentralTDistributionOfScipy) {
    EXPECT_NEAR(t_test_power(1, 4), 0.122249152073, 1e-10);
    EXPECT_NEAR(t_test_power(2.5, 4), 0.477261117382, 1e-10);
    EXPECT_NEAR(t_test_power(-2.5, 4), 0.477261117382, 1e-10);
    EXPECT_NEAR(t_test_power(3, 18), 0.809706936963, 1e-10);
    EXPECT_NEAR(t_test_power(5, 2), 0.719180536391, 1e-10);
    EXPECT_EQ(t_test_power(0, 4), 0.05);
}

// Reference values: statsmodels 0.15.0, TTestIndPower().solve_power(None, nobs1, alpha=0.05, power=0.8, ratio=…), in
// standard deviations.
TEST(Power, DetectableDifferenceAgreesWithStatsmodels) {
    struct Case {
        std::int64_t a, b;
        double effect;
    };
    for (const Case& each : {Case{2, 2, 5.653489342}, Case{3, 3, 3.07089227}, Case{5, 5, 2.024440146},
                             Case{10, 10, 1.324947368}, Case{3, 5, 2.458832394}, Case{20, 4, 1.605691716}}) {
        const auto difference = detectable_difference({each.a, 1.5, 0.25}, {each.b, 2.5, 0.25});
        ASSERT_TRUE(difference);
        EXPECT_NEAR(*difference, 0.25 * each.effect, 1e-6) << each.a << " and " << each.b;
    }
}

// Reference values: statsmodels 0.15.0, TTestPower().solve_power(None, nobs, alpha=0.05, power=0.8).
TEST(Power, DetectableDifferenceOfPairsAgreesWithStatsmodels) {
    EXPECT_NEAR(*detectable_difference_of_pairs({2, 0, 1}), 11.54988975, 1e-5);
    EXPECT_NEAR(*detectable_difference_of_pairs({3, 0, 1}), 3.264043553, 1e-6);
    EXPECT_NEAR(*detectable_difference_of_pairs({5, 0, 0.1}), 0.1681997083, 1e-7);
    EXPECT_NEAR(*detectable_difference_of_pairs({10, 7, 1}), 0.9960019108, 1e-6);
}

TEST(Power, FewestSeedsDoNotDependOnTheGuess) {
    for (const std::int64_t wanted : {2, 3, 5, 100, 9999, 10000}) {
        for (const double guess : {-1.0, 2.0, 3.0, 4.5, 99.0, 100.0, 101.0, 5000.0, 1e9}) {
            EXPECT_EQ(fewest_seeds([&](std::int64_t seeds) { return seeds >= wanted; }, guess), wanted) << guess;
        }
    }
    EXPECT_FALSE(fewest_seeds([](std::int64_t) { return false; }, 17));
}

// Reference values: statsmodels 0.15.0, TTestIndPower().solve_power(effect, None, alpha=0.05, power=0.8) gives
// 393.4057, 63.7656, 25.5246, 16.7147, 8.0603, 5.09, 3.07 and 2.1172.
TEST(Power, SeedsAgreeWithStatsmodels) {
    EXPECT_EQ(seeds_to_detect(0.2, 1), 394);
    EXPECT_EQ(seeds_to_detect(0.5, 1), 64);
    EXPECT_EQ(seeds_to_detect(-0.8, 1), 26);
    EXPECT_EQ(seeds_to_detect(0.01, 0.01), 17);
    EXPECT_EQ(seeds_to_detect(1.5, 1), 9);
    EXPECT_EQ(seeds_to_detect(2, 1), 6);
    EXPECT_EQ(seeds_to_detect(3, 1), 4);
    EXPECT_EQ(seeds_to_detect(5, 1), 3);
    EXPECT_EQ(seeds_to_detect(500, 1), 2);
}

TEST(Power, UnequalStandardDeviationsArePooled) {
    // The pooled standard deviation is √((2 · 1 + 2 · 9) / 4) = √5.
    EXPECT_NEAR(*detectable_difference({3, 0, 1}, {3, 0, 3}), std::sqrt(5.0) * 3.07089227, 1e-6);
}

// Reference values here and below: the power is the integral of Φ(δ − t s) + Φ(−t s − δ) over the density of s =
// √(χ²/ν), computed with SciPy 1.17.1 by Gauss-Legendre quadrature.
TEST(Power, IsNotZeroBelowTheDetectableDifference) {
    const double found = *detectable_difference({3, 0, 1}, {3, 0, 1}) / std::sqrt(2.0 / 3);  // in standard errors
    EXPECT_NEAR(t_test_power(found, 4), 0.8, 1e-9);
    EXPECT_NEAR(t_test_power(0.7 * found, 4), 0.51566288, 1e-7);
}

TEST(Power, DetectableDifferenceGrowsWithTheNumberOfComparisons) {
    // Two groups of three seeds with the standard deviation 1, one comparison and the first step of Holm's correction
    // over five.
    EXPECT_NEAR(*detectable_difference({3, 0, 1}, {3, 0, 1}), 3.0708922664, 1e-8);
    EXPECT_NEAR(*detectable_difference({3, 0, 1}, {3, 0, 1}, {0.05 / 5, 0.8}), 4.7998274411, 1e-8);
    EXPECT_NEAR(*detectable_difference_welch({3, 0, 1}, {3, 0, 1}, {0.05 / 5, 0.8}), 4.7998274411, 1e-8);
    EXPECT_NEAR(*detectable_difference_of_pairs({3, 0, 1}, {0.05 / 5, 0.8}), 7.3198923036, 1e-8);
}

TEST(Power, WelchUsesTheStandardDeviationAndSizeOfEachGroup) {
    EXPECT_NEAR(*detectable_difference_welch({3, 0, 1}, {3, 0, 3}), 8.8031053522, 1e-7);
    EXPECT_NEAR(*detectable_difference_welch({3, 9, 1}, {5, 2, 3}), 5.0671253279, 1e-7);
    EXPECT_NEAR(*detectable_difference_welch({5, 0, 0.02}, {4, 0, 0.05}, {0.025, 0.8}), 0.1253685809, 1e-9);
    EXPECT_EQ(seeds_to_detect_welch(1, 1, 1), 17);
    EXPECT_EQ(seeds_to_detect_welch(1, 1, 1, {0.01, 0.8}), 26);
    EXPECT_EQ(seeds_to_detect_welch(2, 1, 3), 22);
    EXPECT_EQ(seeds_to_detect_welch(-3, 0.5, 2, {0.025, 0.8}), 7);
    EXPECT_EQ(seeds_to_detect_welch(500, 1, 1), 2);
    EXPECT_FALSE(detectable_difference_welch({1, 2, not_a_number}, {3, 2, 1}));
    EXPECT_FALSE(detectable_difference_welch({3, 2, 0}, {3, 1, 0}));
    EXPECT_FALSE(seeds_to_detect_welch(0, 1, 1));
    EXPECT_FALSE(seeds_to_detect_welch(1, 0, 0));
    EXPECT_FALSE(seeds_to_detect_welch(0.001, 1, 1));
}

TEST(Power, ReturnsNulloptOrThrowsIfNoTestIsPossible) {
    EXPECT_FALSE(detectable_difference({1, 2, not_a_number}, {3, 2, 1}));
    EXPECT_FALSE(detectable_difference({3, 2, 0}, {3, 1, 0}));
    EXPECT_FALSE(detectable_difference_of_pairs({3, 1, 0}));
    EXPECT_FALSE(seeds_to_detect(0, 1));
    EXPECT_FALSE(seeds_to_detect(1, 0));
    EXPECT_FALSE(seeds_to_detect(not_a_number, 1));
    EXPECT_FALSE(seeds_to_detect(0.001, 1));  // 15.7 million seeds would be needed
    EXPECT_THROW(t_test_power(1, 0), BadInput);
    EXPECT_THROW(detectable_difference({3, 0, 1}, {3, 0, 1}, {0.05, 1}), BadInput);
}

}  // namespace
}  // namespace ropelab
