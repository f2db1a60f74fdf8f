#include "core/stats/t_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace ropelab {
namespace {

using Values = std::vector<double>;

std::optional<TTest> student_t_test(const Values& a, const Values& b) {
    return ropelab::student_t_test(sample_of(a), sample_of(b));
}

std::optional<TTest> welch_t_test(const Values& a, const Values& b) {
    return ropelab::welch_t_test(sample_of(a), sample_of(b));
}

// Data: Student 1908 (R's data set `sleep`), hours of extra sleep of ten patients with two drugs.
const Values first_drug = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const Values second_drug = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

// The expected numbers are what R 4 prints for t.test(extra ~ group, data = sleep, …).
TEST(TTest, StudentAgreesWithR) {
    const auto test = student_t_test(first_drug, second_drug);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, -1.8608, 5e-5);
    EXPECT_EQ(test->degrees_of_freedom, 18);
    EXPECT_NEAR(test->p, 0.07919, 5e-6);
}

TEST(TTest, WelchAgreesWithR) {
    const auto test = welch_t_test(first_drug, second_drug);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, -1.8608, 5e-5);
    EXPECT_NEAR(test->degrees_of_freedom, 17.776, 5e-4);
    EXPECT_NEAR(test->p, 0.07939, 5e-6);
}

TEST(TTest, PairedAgreesWithR) {
    const auto test = paired_t_test(first_drug, second_drug);
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, -4.0621, 5e-5);
    EXPECT_EQ(test->degrees_of_freedom, 9);
    EXPECT_NEAR(test->p, 0.002833, 5e-7);
}

// With two degrees of freedom the distribution has a closed form: p = 1 − |t| / √(t² + 2).
TEST(TTest, AgreesWithTheClosedFormAtTwoDegreesOfFreedom) {
    const auto test = student_t_test(Values{1, 2}, Values{4, 5});
    ASSERT_TRUE(test);
    EXPECT_EQ(test->degrees_of_freedom, 2);
    EXPECT_NEAR(test->p, 1 - std::abs(test->t) / std::sqrt(test->t * test->t + 2), 1e-12);
}

// The theta paper's table 2, Tiny Shakespeare, three seeds: 1.4662 ± 0.0014 at θ = 5,000 against 1.4739 ± 0.0030 at
// 10,000. The paper says p < 0.01; its own numbers give 0.016 (Student) and 0.031 (Welch).
TEST(TTest, RecomputesThePValuesOfTheThetaPaper) {
    const Sample ours{3, 1.4662, 0.0014};
    const Sample baseline{3, 1.4739, 0.0030};
    EXPECT_NEAR(student_t_test(ours, baseline)->p, 0.016, 0.0005);
    EXPECT_NEAR(welch_t_test(ours, baseline)->p, 0.031, 0.0005);
}

TEST(TTest, WelchEqualsStudentForEqualVariancesAndSizes) {
    const Sample a{5, 1.0, 0.3};
    const Sample b{5, 1.4, 0.3};
    EXPECT_NEAR(student_t_test(a, b)->p, welch_t_test(a, b)->p, 1e-12);
}

TEST(TTest, SwappingTheSamplesChangesTheSign) {
    using Statistic = std::optional<TTest> (*)(const Sample&, const Sample&);
    for (const Statistic test : {Statistic{&ropelab::student_t_test}, Statistic{&ropelab::welch_t_test}}) {
        const auto one = test({4, 1, 2}, {7, 2, 1});
        const auto other = test({7, 2, 1}, {4, 1, 2});
        EXPECT_EQ(one->t, -other->t);
        EXPECT_EQ(one->p, other->p);
    }
}

TEST(TTest, ReturnsNulloptForTooFewValues) {
    EXPECT_FALSE(student_t_test(Values{1}, Values{1, 2, 3}));
    EXPECT_FALSE(welch_t_test(Values{1, 2, 3}, Values{}));
    EXPECT_FALSE(paired_t_test(Values{1}, Values{2}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(student_t_test(Values{1, nan}, Values{1, 2, 3}));
    EXPECT_FALSE(paired_t_test(Values{1, nan, 3}, Values{2, 2, nan}));
}

TEST(TTest, ReturnsNulloptIfAllValuesAreEqual) {
    EXPECT_FALSE(student_t_test(Values{0.1, 0.1, 0.1}, Values{0.2, 0.2, 0.2}));
    EXPECT_FALSE(welch_t_test(Values{0.1, 0.1, 0.1}, Values{0.2, 0.2, 0.2}));
    EXPECT_FALSE(welch_t_test(Values{1, 1}, Values{1, 1}));
    // The differences are equal except for rounding errors.
    EXPECT_FALSE(paired_t_test(Values{0.1, 0.7, 1.3}, Values{0.2, 0.8, 1.4}));
}

// An imported loss of 10²⁰⁰ ended the results of its lab with an error of the library.
TEST(TTest, ReturnsNulloptIfAVarianceOverflows) {
    const Sample huge = sample_of(std::vector<double>{1e200, 2e200, 3e200});
    const Sample usual = sample_of(std::vector<double>{1, 2, 3});
    EXPECT_FALSE(welch_t_test(huge, usual));
    EXPECT_FALSE(student_t_test(usual, huge));
    EXPECT_FALSE(welch_error(huge, huge));
    EXPECT_FALSE(student_error(huge, huge));
}

TEST(TTest, WelchUsesTheDegreesOfFreedomOfTheOnlySampleWithVariance) {
    const auto test = welch_t_test(Values{1, 1, 1}, Values{2, 3, 4, 5});
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->degrees_of_freedom, 3, 1e-12);
}

TEST(TTest, PairedTestThrowsForDifferentLengths) {
    EXPECT_THROW(paired_t_test(Values{1, 2}, Values{1}), BadInput);
}

}  // namespace
}  // namespace ropelab
