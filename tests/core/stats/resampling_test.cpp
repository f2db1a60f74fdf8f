#include "core/stats/resampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace ropelab {
namespace {

const std::vector<double> differences = {-0.049, -0.057, -0.055, -0.063, -0.021, 0.008, -0.034};

// scipy.stats.permutation_test((d,), mean, permutation_type='samples', n_resamples=inf), SciPy 1.17.1.
TEST(SignFlips, AreThoseOfScipy) {
    EXPECT_EQ(sign_flip_p(differences), 0.03125);
    EXPECT_EQ(sign_flip_p(std::span(differences).first(5)), 0.0625);
    EXPECT_EQ(sign_flip_p({}), 1);
    EXPECT_EQ(sign_flip_p(std::vector<double>{0.0, 0.0}), 1);
}

// The ends of the shifts whose p in SciPy is above 0.05, by bisection.
TEST(SignFlips, IntervalHasTheShiftsThatTheTestDoesNotReject) {
    const Interval interval = sign_flip_interval(differences);
    EXPECT_NEAR(interval.low, -0.059, 1e-12);
    EXPECT_NEAR(interval.high, -0.013, 1e-12);
    const Interval few = sign_flip_interval(std::span(differences).first(5));
    EXPECT_TRUE(std::isnan(few.low) && std::isnan(few.high)) << "5 pairs are never significant";
    EXPECT_TRUE(std::isnan(sign_flip_interval({}).low));
}

TEST(SignFlips, SampledSignsAgreeWithTheTTest) {
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal(0.4, 1);
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(normal(generator));
    const Description described = describe(values);
    const Interval interval = sign_flip_interval(values);
    EXPECT_NEAR(interval.low, described.confidence_low, 0.02);
    EXPECT_NEAR(interval.high, described.confidence_high, 0.02);
    std::vector<double> shifted = values;
    for (double& value : shifted) value -= interval.high + 0.01;
    EXPECT_LT(sign_flip_p(shifted), 0.05);
    for (double& value : shifted) value += 0.02;
    EXPECT_GT(sign_flip_p(shifted), 0.05);
}

// Of symmetric differences, at most 5 % have p <= 0.05.
TEST(SignFlips, KeepTheLevel) {
    std::mt19937_64 generator(5);
    std::student_t_distribution<double> heavy(2);
    int rejected = 0;
    constexpr int repeats = 2000;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::vector<double> values;
        for (int i = 0; i < 8; ++i) values.push_back(heavy(generator));
        rejected += sign_flip_p(values) <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(rejected, 0.05 * repeats + 3 * std::sqrt(0.05 * 0.95 * repeats));
    EXPECT_GE(rejected, 0.03 * repeats);
}

// scipy.stats.bootstrap(method='BCa', n_resamples=99999): (-0.05243, -0.01629), and (-0.05243, -0.01643) with another
// random state.
TEST(Bootstrap, IntervalIsThatOfScipy) {
    const Interval interval = bootstrap_interval(differences);
    EXPECT_NEAR(interval.low, -0.05243, 0.001);
    EXPECT_NEAR(interval.high, -0.01636, 0.001);
    EXPECT_EQ(bootstrap_interval(differences).low, interval.low) << "it depends on the values only";
    EXPECT_TRUE(std::isnan(bootstrap_interval(std::vector<double>{1.0, 1.0}).low));
    EXPECT_TRUE(std::isnan(bootstrap_interval({}).low));
}

}  // namespace
}  // namespace ropelab
