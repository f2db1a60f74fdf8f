#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/rope/context.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(DecayBound, MatchesTheReferenceValues) {  // formula 11
    const double distances[] = {0, 1, 10, 50, 100, 250, 1000, 4096};
    const double expected[] = {32.5, 31.54, 17.95, 12.63, 10.23, 6.55, 4.47, 4.88};
    const auto bound = decay_bound(frequencies({.head_dim = 128}).inverse_frequencies, distances);
    ASSERT_EQ(bound.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(bound[i], expected[i], 0.006) << distances[i];
    EXPECT_EQ(decay_bound({}, distances), std::vector<double>(8));
}

TEST(DecayBound, IsAnUpperBoundForRandomQueriesAndKeys) {  // |Σ h_t e^{𝑖Δg_t}| ≤ max|h_{j+1} − h_j| · Σ|S_j|
    const auto frequency = frequencies({.head_dim = 64}).inverse_frequencies;
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    for (double distance : {0.0, 3.0, 100.0, 2500.0}) {
        const double distances[] = {distance};
        const double sums = 32 * decay_bound(frequency, distances)[0];
        for (int sample = 0; sample < 20; ++sample) {
            std::vector<std::complex<double>> h(33);  // the last element is 0 by definition
            for (std::size_t t = 0; t < 32; ++t) h[t] = {normal(generator), normal(generator)};
            std::complex<double> sum = 0;
            double jump = 0;
            for (std::size_t t = 0; t < 32; ++t) {
                sum += h[t] * std::polar(1.0, distance * frequency[t]);
                jump = std::max(jump, std::abs(h[t + 1] - h[t]));
            }
            EXPECT_LE(std::abs(sum), jump * sums * (1 + 1e-12));
        }
    }
}

constexpr RandomVectors equal{.correlation = 1};

TEST(ExpectedLogit, MatchesTheReferenceValues) {  // formula 16 for q = k, and for independent q, k ~ N(1, I)
    const Frequencies f = frequencies({});
    for (const RandomVectors& vectors : {equal, RandomVectors{.mean = 1}}) {
        EXPECT_NEAR(expected_logit(f, 64, 0, vectors), 64.0, 1e-9);
        EXPECT_NEAR(expected_logit(f, 64, 1, vectors), 61.8, 0.06);
        EXPECT_NEAR(expected_logit(f, 64, 10, vectors), 42.1, 0.06);
        EXPECT_NEAR(expected_logit(f, 64, 100, vectors), 35.7, 0.06);
    }
    EXPECT_EQ(expected_logit(f, 64, 100, {}), 0);
}

TEST(ExpectedLogit, IsMeanSquaredPlusCorrelationTimesOneCurve) {
    const Frequencies f = frequencies({});
    for (double distance : {0.0, 10.0, 100.0}) {
        const double curve = expected_logit(f, 64, distance, equal);
        EXPECT_NEAR(expected_logit(f, 64, distance, {.correlation = 0.3}), 0.3 * curve, 1e-12);
        EXPECT_NEAR(expected_logit(f, 64, distance, {.mean = -2, .correlation = 0.5}), 4.5 * curve, 1e-10);
        EXPECT_NEAR(expected_logit(f, 64, distance, {.mean = 0.5, .correlation = -0.25}), 0, 1e-12);
    }
    EXPECT_EQ(expected_product({.mean = -2, .correlation = 0.5}), 4.5);
}

TEST(ExpectedLogit, IncludesUnrotatedChannels) {
    for (Partial partial : {Partial::slice, Partial::truncate}) {
        const Frequencies f = frequencies({.fraction = 0.25, .partial = partial});
        double expected = 48;
        for (std::size_t i = 0; i < 8; ++i) expected += 2 * std::cos(7 * f.inverse_frequencies[i]);
        EXPECT_NEAR(expected_logit(f, 64, 7, equal), expected, 1e-12);
    }
}

class Sampling : public testing::TestWithParam<std::tuple<double, RandomVectors>> {};

TEST_P(Sampling, MeanIsWithinFourStandardErrorsOfTheExpectedLogit) {
    const auto [fraction, vectors] = GetParam();
    const Frequencies f = frequencies({.fraction = fraction});
    const std::vector<double> distances = {0, 1, 10, 100, 1000, 10, 20, 30, 40};
    const SampledLogits sampled = sampled_logits(f, 64, distances, 4000, 17, vectors);
    ASSERT_EQ(sampled.mean.size(), distances.size());
    ASSERT_EQ(sampled.standard_error.size(), distances.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const double error = sampled.standard_error[i];
        EXPECT_GT(error, 0);
        EXPECT_NEAR(sampled.mean[i], expected_logit(f, 64, distances[i], vectors), 4 * error) << distances[i];
        // For q, k ~ N(0, I), each of the 64 products of channels has variance 1, so the logit has variance 64.
        if (vectors == RandomVectors{}) {
            EXPECT_NEAR(error, std::sqrt(64.0 / 4000), 0.01);
        }
    }
    EXPECT_EQ(sampled.mean[2], sampled.mean[5]);
}

INSTANTIATE_TEST_SUITE_P(Heads, Sampling,
                         testing::Combine(testing::Values(0.0, 0.25, 1.0),
                                          testing::Values(RandomVectors{}, equal, RandomVectors{.mean = 1},
                                                          RandomVectors{.mean = -0.5, .correlation = 0.6},
                                                          RandomVectors{.correlation = -1})));

TEST(SampledLogits, EqualSeedsGiveEqualResults) {
    const double distances[] = {1, 2, 3};
    const auto mean = [&](std::uint64_t seed) {
        return sampled_logits(frequencies({}), 64, distances, 100, seed, {}).mean;
    };
    EXPECT_EQ(mean(1), mean(1));
    EXPECT_NE(mean(1), mean(2));
}

TEST(SampledLogits, ReturnsTheFinishedSamplesWhenCancelled) {
    const double distances[] = {0};
    int calls = 0;
    const auto cancelled = [&] { return ++calls > 2; };
    const SampledLogits some = sampled_logits(frequencies({}), 64, distances, 1 << 30, 1, equal, cancelled);
    const SampledLogits whole = sampled_logits(frequencies({}), 64, distances, 128, 1, equal);
    EXPECT_EQ(some.mean, whole.mean);
    EXPECT_EQ(some.standard_error, whole.standard_error);
    const SampledLogits none = sampled_logits(frequencies({}), 64, distances, 10, 1, equal, [] { return true; });
    EXPECT_EQ(none.standard_error[0], 0);
}

TEST(SampledLogits, ThrowsForInvalidArguments) {
    const double distances[] = {0};
    EXPECT_MESSAGE(sampled_logits(frequencies({}), 64, distances, 1, 1, equal), BadInput, "samples is 1");
    EXPECT_MESSAGE(sampled_logits(frequencies({}), 32, distances, 10, 1, equal), BadInput, "32 channels");
    EXPECT_MESSAGE(expected_logit(frequencies({}), 62, 1, equal), BadInput, "62 channels");
    const RandomVectors beyond{.correlation = 1.5};
    EXPECT_MESSAGE(sampled_logits(frequencies({}), 64, distances, 10, 1, beyond), BadInput, "is 1.5, but it must be");
    EXPECT_MESSAGE(expected_logit(frequencies({}), 64, 1, beyond), BadInput, "between −1 and 1");
    const RandomVectors infinite{.mean = std::numeric_limits<double>::infinity()};
    EXPECT_MESSAGE(expected_product(infinite), BadInput, "must be finite");
}

}  // namespace
}  // namespace ropelab
