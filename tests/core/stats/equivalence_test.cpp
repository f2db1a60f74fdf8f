#include "core/stats/t_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using EquivalenceValues = std::vector<double>;

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

struct ExpectedEquivalence {
    double p_low, p_high, p_beyond;
};
struct EquivalenceCase {
    const char* name;
    EquivalenceValues a, b;
    double margin;
    ExpectedEquivalence welch, paired;
};

void expect_near(const std::optional<Equivalence>& result, const ExpectedEquivalence& expected, const char* name) {
    ASSERT_TRUE(result) << name;
    EXPECT_NEAR(result->p_low, expected.p_low, 1e-12) << name;
    EXPECT_NEAR(result->p_high, expected.p_high, 1e-12) << name;
    EXPECT_NEAR(result->p_beyond, expected.p_beyond, 1e-12) << name;
    EXPECT_EQ(result->p, std::max(result->p_low, result->p_high)) << name;
}

// Reference values: p_low and p_high are from statsmodels 0.15.0, ttost_ind(a, b, -margin, margin, usevar="unequal")
// and ttost_paired; p_beyond is from scipy 1.17.1, ttest_ind(equal_var=False) and ttest_rel of samples shifted by the
// margin, alternative="greater".
TEST(Equivalence, AgreesWithStatsmodels) {
    const std::vector<EquivalenceCase> cases = {
        {"within the margin",
         {1.4712, 1.4728, 1.4744},
         {1.4709, 1.4739, 1.4769},
         0.01,
         {0.009671224072273568, 0.005223150826984858, 0.9903287759277265},
         {0.004073726274532739, 0.0026303964315121677, 0.9959262737254673}},
        {"beyond the margin",
         {1.4648, 1.4662, 1.4676},
         {1.4709, 1.4739, 1.4769},
         0.005,
         {0.871146289491881, 0.004149230482158169, 0.12885371050811165},
         {0.9500833564886271, 0.002624528592879812, 0.0499166435113695}},
        {"five seeds, a wide margin",
         {2.31, 2.29, 2.35, 2.33, 2.30},
         {2.40, 2.36, 2.41, 2.43, 2.38},
         0.2,
         {4.021782318714919e-05, 7.340256201793122e-08, 0.9999597821768128},
         {3.5346748432512556e-05, 1.2150241250471706e-06, 0.9999646532515675}},
        {"six seeds",
         {1.01, 1.02, 0.99, 1.00, 1.015, 0.995},
         {1.0, 1.01, 1.005, 0.995, 1.02, 0.99},
         0.02,
         {0.003965014574842853, 0.009418105462399488, 0.9905818945376011},
         {0.0014735688981131509, 0.0030077954677934465, 0.9969922045322066}},
        {"two seeds",
         {0.5, 1.5},
         {0.7, 2.9},
         3.0,
         {0.13077652538168716, 0.06812050004428921, 0.8692234746183128},
         {0.08475065946143208, 0.0498479256383133, 0.915249340538568}},
    };
    for (const EquivalenceCase& each : cases) {
        expect_near(welch_equivalence(sample_of(each.a), sample_of(each.b), each.margin), each.welch, each.name);
        expect_near(paired_equivalence(each.a, each.b, each.margin), each.paired, each.name);
    }
}

TEST(Equivalence, AcceptsSamplesOfDifferentSizeAndMissingValues) {
    const EquivalenceValues a = {1.47, 1.48, 1.465, 1.472};
    const EquivalenceValues b = {1.47, no_value, 1.475};
    const auto result = welch_equivalence(sample_of(a), sample_of(b), 0.02);
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->p_low, 0.0054843547876543735, 1e-12);
    EXPECT_NEAR(result->p_high, 0.004301484331294788, 1e-12);
    // Pairs with a missing value are excluded.
    const EquivalenceValues c = {1.47, no_value, 1.475, 1.48};
    const auto pairs = paired_equivalence(a, c, 0.02);
    ASSERT_TRUE(pairs);
    EXPECT_EQ(pairs->degrees_of_freedom, 2);
}

TEST(Equivalence, ReturnsNulloptIfNoTestIsPossible) {
    EXPECT_FALSE(welch_equivalence({1, 1.0, no_value}, {3, 1.0, 0.1}, 0.1));
    EXPECT_FALSE(welch_equivalence({3, 1.0, 0}, {3, 1.0, 0}, 0.1));
    EXPECT_FALSE(
        paired_equivalence(EquivalenceValues{1.0, 2.0}, EquivalenceValues{1.0, 2.0}, 0.1));  // copies, not measurements
    EXPECT_MESSAGE(welch_equivalence({3, 1, 1}, {3, 1, 1}, 0), BadInput, "more than 0");
    EXPECT_MESSAGE(paired_equivalence(EquivalenceValues{1, 2}, EquivalenceValues{2, 1}, -0.5), BadInput, "-0.5");
    // A difference of 0.2 is not within the margin.
    EXPECT_FALSE(seeds_to_show_equivalence(0.1, 0.2, 0.1, SeedDesign::paired));
    EXPECT_FALSE(seeds_to_show_equivalence(0.1, 0, 0, SeedDesign::paired));
    EXPECT_FALSE(seeds_to_show_equivalence(0.001, 0.0009, 1, SeedDesign::groups));
    EXPECT_FALSE(pairs_to_detect(0, 1));
    EXPECT_FALSE(pairs_to_detect(0.001, 1));
}

// Reference values: scipy 1.17.1, nct.sf(c, df, (m - d)/se) + nct.sf(c, df, (m + d)/se) - 1 with c = t.ppf(0.95, df). A
// simulation with 200,000 samples of numpy's normal numbers gives 0.7967 and 0.7208 for the first two.
TEST(Equivalence, PowerAgreesWithTheNoncentralTDistributionOfScipy) {
    EXPECT_NEAR(equivalence_power(1, 0, 1, 10, SeedDesign::paired), 0.7950339886793654, 1e-9);
    EXPECT_NEAR(equivalence_power(1, 0.2, 1, 10, SeedDesign::paired), 0.7219000078141691, 1e-9);
    EXPECT_NEAR(equivalence_power(1, 0, 1, 10, SeedDesign::groups), 0.38711498387332277, 1e-9);
    EXPECT_NEAR(equivalence_power(1, 0.3, 0.5, 12, SeedDesign::groups), 0.953144283488796, 1e-9);
    EXPECT_NEAR(equivalence_power(0.5, -0.1, 0.4, 20, SeedDesign::paired), 0.9961020949201509, 1e-9);
    EXPECT_EQ(equivalence_power(1, 0, 1, 1, SeedDesign::groups), 0);
}

// The expected numbers are the smallest n for which the formula of the previous test gives a power of 0.8.
TEST(Equivalence, SeedsAreTheSmallestNumberWithThePower) {
    EXPECT_EQ(seeds_to_show_equivalence(1, 0, 1, SeedDesign::paired), 11);
    EXPECT_EQ(seeds_to_show_equivalence(1, 0.5, 1, SeedDesign::paired), 27);
    EXPECT_EQ(seeds_to_show_equivalence(1, 0, 1, SeedDesign::groups), 18);
    EXPECT_EQ(seeds_to_show_equivalence(0.02, 0.005, 0.01, SeedDesign::paired), 5);
    EXPECT_EQ(seeds_to_show_equivalence(0.02, -0.005, 0.01, SeedDesign::groups), 7);
    EXPECT_EQ(seeds_to_show_equivalence(1, 0, 0.1, SeedDesign::paired), 2);
}

// Reference values: statsmodels 0.15.0, TTestPower().solve_power(effect, None, alpha=0.05, power=0.8)
// gives 33.3671, 14.3028, 9.9379, 4.2207 and 2.4824.
TEST(Equivalence, PairsToDetectAgreeWithStatsmodels) {
    EXPECT_EQ(pairs_to_detect(0.5, 1), 34);
    EXPECT_EQ(pairs_to_detect(-0.8, 1), 15);
    EXPECT_EQ(pairs_to_detect(0.01, 0.01), 10);
    EXPECT_EQ(pairs_to_detect(2, 1), 5);
    EXPECT_EQ(pairs_to_detect(5, 1), 3);
}

// Simulated level of both refutations for a true difference that equals the margin, 0.1 standard errors. With known
// variance a test of the observed side rejects with the probability Q(1.645) + Q(1.845) = 0.083, and a test of both
// sides with Q(1.960) + Q(2.160) = 0.040; the 49 degrees of freedom change these by less than 0.001. The standard error
// of a simulated rate is 0.002.
TEST(Equivalence, RefutationOnBothSidesKeepsItsLevel) {
    std::mt19937_64 random(1337);
    std::normal_distribution<double> noise(0, 1);
    constexpr int pairs = 50, repetitions = 20000;
    const double margin = 0.1 / std::sqrt(static_cast<double>(pairs));
    const std::vector<double> zero(pairs, 0.0);
    int one_sided = 0, two_sided = 0;
    for (int i = 0; i < repetitions; ++i) {
        EquivalenceValues values(pairs);
        for (double& value : values) value = margin + noise(random);
        const auto result = paired_equivalence(values, zero, margin);
        one_sided += result->p_beyond < 0.05;
        two_sided += result->p_outside < 0.05;
    }
    EXPECT_NEAR(one_sided / static_cast<double>(repetitions), 0.083, 0.008);
    EXPECT_NEAR(two_sided / static_cast<double>(repetitions), 0.040, 0.006);
}

TEST(Equivalence, RefutationOnBothSidesDoublesP) {
    const auto beyond =
        paired_equivalence(std::vector{1.4648, 1.4662, 1.4676}, std::vector{1.4709, 1.4739, 1.4769}, 0.005);
    EXPECT_NEAR(beyond->p_outside, 2 * 0.0499166435113695, 1e-12);
    const auto within =
        paired_equivalence(std::vector{1.4712, 1.4728, 1.4744}, std::vector{1.4709, 1.4739, 1.4769}, 0.01);
    EXPECT_EQ(within->p_outside, 1);
}

}  // namespace
}  // namespace ropelab
