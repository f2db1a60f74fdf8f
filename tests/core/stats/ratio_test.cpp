#include "core/stats/t_test.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/base/error.h"

namespace ropelab {
namespace {

const std::vector<double> full_speed = {441, 438, 444, 440, 443};
const std::vector<double> half_speed = {244, 243, 246, 245, 242};
const std::vector<double> little_slower = {420, 402, 431, 418, 409};
const std::vector<double> near_the_end = {262, 275, 281, 244, 290};

// Reference values: t tests of a − r·b in Python with the incomplete beta function; the interval's ends are the roots
// of |t(r)| = t(0.975), found by bisection.
TEST(Ratio, PairedTestAgreesWithTTestsOfTheDifferences) {
    const auto half = paired_ratio_range(half_speed, full_speed, 0.4, 0.6);
    ASSERT_TRUE(half);
    EXPECT_NEAR(half->ratio, 0.5530371713508613, 1e-12);
    EXPECT_NEAR(half->p_inside, 7.2397338767350475e-06, 1e-12);
    EXPECT_EQ(half->p_outside, 1);
    EXPECT_NEAR(*half->interval_low, 0.5480693129778252, 1e-9);
    EXPECT_NEAR(*half->interval_high, 0.5580391248244129, 1e-9);
    const auto slower = paired_ratio_range(little_slower, full_speed, 0.4, 0.6);
    EXPECT_NEAR(slower->p_inside, 0.9999975720254922, 1e-12);
    EXPECT_NEAR(slower->p_outside, 4.855949015525281e-06, 1e-12);
    const auto edge = paired_ratio_range(near_the_end, full_speed, 0.4, 0.6);
    EXPECT_NEAR(edge->p_inside, 0.7485579899136423, 1e-10);
    EXPECT_NEAR(edge->p_outside, 0.5028840201727154, 1e-10);
    EXPECT_NEAR(*edge->interval_low, 0.5641671097041051, 1e-9);
    EXPECT_NEAR(*edge->interval_high, 0.6613051095106914, 1e-9);
}

// Reference values: as above, with separate variances and the degrees of freedom of Welch and Satterthwaite.
TEST(Ratio, WelchsTestHasSeparateVariances) {
    const auto half = welch_ratio_range(sample_of(half_speed), sample_of(full_speed), 0.4, 0.6);
    ASSERT_TRUE(half);
    EXPECT_NEAR(half->p_inside, 1.2065134488036764e-08, 1e-14);
    EXPECT_NEAR(half->degrees_of_freedom, 7.753467474057966, 1e-9);
    EXPECT_NEAR(*half->interval_low, 0.5482127277290484, 1e-9);
    EXPECT_NEAR(*half->interval_high, 0.557896446255514, 1e-9);
    const std::span<const double> four = std::span(half_speed).first(4);
    const auto unequal = welch_ratio_range(sample_of(four), sample_of(full_speed), 0.4, 0.6);
    EXPECT_NEAR(unequal->p_inside, 6.170898424858708e-08, 1e-14);
    EXPECT_NEAR(unequal->degrees_of_freedom, 6.642321513466939, 1e-9);
    EXPECT_NEAR(*unequal->interval_low, 0.5494440772629313, 1e-9);
    EXPECT_NEAR(*unequal->interval_high, 0.5589339105271512, 1e-9);
}

TEST(Ratio, NeedsTwoPairsAndAPositiveBaseline) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(paired_ratio_range(std::vector{1.0, none}, std::vector{2.0, 2.1}, 0.4, 0.6));
    EXPECT_FALSE(paired_ratio_range(std::vector{1.0, 1.1}, std::vector{-2.0, -2.1}, 0.4, 0.6));
    EXPECT_FALSE(paired_ratio_range(std::vector{1.0, 1.0}, std::vector{2.0, 2.0}, 0.4, 0.6)) << "copies";
    EXPECT_FALSE(welch_ratio_range({1, 1, 0}, {5, 2, 0.1}, 0.4, 0.6));
    EXPECT_THROW(paired_ratio_range(half_speed, full_speed, 0.6, 0.4), BadInput);
    EXPECT_THROW(paired_ratio_range(half_speed, full_speed, 0.4, 0.4), BadInput);
    EXPECT_THROW(paired_ratio_range(half_speed, full_speed, -0.1, 0.4), BadInput);
    EXPECT_TRUE(paired_ratio_range(half_speed, full_speed, 0, 0.6)) << "at most 0.6";
    // An interval of the ratio is not bounded if the baseline's mean may be 0.
    const auto wide = paired_ratio_range(std::vector{1.0, 1.2}, std::vector{0.1, 9.0}, 0.4, 0.6);
    ASSERT_TRUE(wide);
    EXPECT_FALSE(wide->interval_low);
}

}  // namespace
}  // namespace ropelab
