#include "core/rope/attention/circuit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/rope/logit.h"
#include "core/rope/rotary_setup.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

struct Head {
    RotarySetup setup;
    Frequencies frequencies;
};

Head head(const char* text) {
    const RotarySetup setup = parse_setup(text);
    return {setup, frequencies(frequency_settings(setup))};
}

std::vector<double> logits_of(const Head& head, const CircuitVectors& vectors, std::size_t count) {
    return circuit_logits(vectors.query, vectors.key, head.frequencies, head.setup.partial, head.setup.pairing, count);
}

CircuitVectors aimed(const Head& head, double distance, double norm) {
    return circuit_at_distance(distance, norm, head.setup.head_dim, head.frequencies, head.setup.partial,
                               head.setup.pairing);
}

CircuitVectors sampled(const Head& head) {
    const auto draw = [&](const char* name) {
        std::vector<float> values(static_cast<std::size_t>(head.setup.head_dim));
        RandomStream(5, name).fill_normal(values, 1.0);
        return std::vector<double>(values.begin(), values.end());
    };
    return {draw("query"), draw("key")};
}

TEST(Circuit, LogitsAreThoseOfTheSplitLogitAtEveryDistance) {
    for (const char* text :
         {"theta=10k head_dim=64", "theta=500 head_dim=16 fraction=50% pairing=interleaved",
          "theta=10k head_dim=32 fraction=25% partial=truncate",
          "theta=10k head_dim=32 context=4096 scaling=yarn factor=4", "theta=10k head_dim=8 fraction=0"}) {
        const Head of = head(text);
        const CircuitVectors vectors = sampled(of);
        const std::vector<double> logits = logits_of(of, vectors, 300);
        ASSERT_EQ(logits.size(), 300U);
        for (const std::int64_t distance : {0, 1, 2, 63, 64, 65, 200, 299}) {
            const double expected = split_logit(vectors.query, vectors.key, 1000 + distance, 1000, of.frequencies,
                                                of.setup.partial, of.setup.pairing)
                                        .total;
            EXPECT_NEAR(logits[static_cast<std::size_t>(distance)], expected, 1e-11) << text << " at " << distance;
        }
    }
}

TEST(Circuit, AnAimedHeadHasItsPeakAtItsDistance) {
    const Head of = head("theta=10k head_dim=64");
    for (const int distance : {0, 1, 3, 17}) {
        const CircuitVectors vectors = aimed(of, distance, 2);
        const std::vector<double> logits = logits_of(of, vectors, 256);
        EXPECT_EQ(circuit_peak(logits), distance);
        // All 32 cosines are 1 there: 32 · 2²/√64.
        EXPECT_NEAR(logits[static_cast<std::size_t>(distance)], 16, 1e-12);
    }
}

TEST(Circuit, AttentionIsTheCausalSoftmaxOfTheLogits) {
    const Head of = head("theta=100 head_dim=8");
    const std::vector<double> logits = logits_of(of, sampled(of), 6);
    const std::vector<double> weights = circuit_attention(logits, 6);
    std::vector<double> sums(6, 0.0);
    for (std::size_t m = 0; m < 6; ++m) {
        double all = 0;
        for (std::size_t n = 0; n <= m; ++n) all += std::exp(logits[m - n]);
        for (std::size_t n = 0; n < 6; ++n) {
            const double expected = n > m ? 0 : std::exp(logits[m - n]) / all;
            EXPECT_NEAR(weights[m * 6 + n], expected, 1e-14);
            if (n <= m) sums[m - n] += expected;
        }
    }
    const std::vector<double> means = circuit_attention_by_distance(logits, 6);
    for (std::size_t distance = 0; distance < 6; ++distance)
        EXPECT_NEAR(means[distance], sums[distance] / static_cast<double>(6 - distance), 1e-14);
}

TEST(Circuit, AHeadPrefersTheDistanceAtWhichItAimsOnAShortText) {
    const Head of = head("theta=10k head_dim=64");
    for (const int distance : {1, 3}) {
        const std::vector<double> logits = logits_of(of, aimed(of, distance, 1), 6);
        const std::vector<double> all = circuit_attention_by_distance(logits, 6);
        EXPECT_GT(all[0], all[static_cast<std::size_t>(distance)]) << "the first tokens have few keys";
        const std::vector<double> means = circuit_attention_by_distance(logits, 6, distance);
        for (std::size_t other = 0; other < 6; ++other) {
            if (other != static_cast<std::size_t>(distance)) {
                EXPECT_GT(means[static_cast<std::size_t>(distance)], means[other]) << distance << ", " << other;
            }
        }
        EXPECT_NEAR(circuit_attention_by_distance(logits, 6, 5)[0], circuit_attention(logits, 6)[35], 1e-14);
    }
}

TEST(Circuit, ALargerNormMakesAPreviousTokenHeadSharper) {
    const Head of = head("theta=10k head_dim=64");
    double previous = 0;
    for (const double norm : {0.0, 1.0, 4.0, 8.0}) {
        const double share = circuit_attention_by_distance(logits_of(of, aimed(of, 1, norm), 32), 32)[1];
        EXPECT_GT(share, previous) << norm;
        previous = share;
    }
    EXPECT_GT(previous, 0.99);
    // Large logits do not overflow.
    EXPECT_NEAR(circuit_attention_by_distance(logits_of(of, aimed(of, 1, 1000), 32), 32)[1], 1, 1e-9);
}

TEST(Circuit, WithoutRotationAllDistancesGetTheSameAttention) {
    const Head of = head("theta=10k head_dim=8 fraction=0");
    const std::vector<double> weights = circuit_attention(logits_of(of, sampled(of), 4), 4);
    for (std::size_t n = 0; n < 4; ++n) EXPECT_DOUBLE_EQ(weights[12 + n], 0.25);
}

TEST(Circuit, SimilarityIsTheCosine) {
    const std::vector<double> a = {3, 4, 0};
    const std::vector<double> b = {4, 3, 0};
    const std::vector<double> zero = {0, 0, 0};
    EXPECT_DOUBLE_EQ(cosine_similarity(a, b), 24.0 / 25);
    EXPECT_DOUBLE_EQ(cosine_similarity(a, a), 1);
    EXPECT_TRUE(std::isnan(cosine_similarity(a, zero)));
}

TEST(Circuit, RefusesBadInput) {
    const Head of = head("theta=100 head_dim=8");
    EXPECT_MESSAGE(aimed(of, -1, 1), BadInput, "earlier tokens");
    EXPECT_MESSAGE(aimed(of, 1, -1), BadInput, "norm of a pair of channels is -1");
    EXPECT_MESSAGE(circuit_attention(std::vector<double>(3), 4), BadInput, "4 tokens");
    EXPECT_MESSAGE(circuit_peak({}), BadInput, "needs logits at one or more distances");
    EXPECT_MESSAGE(cosine_similarity(std::vector<double>(3), std::vector<double>(2)), BadInput, "3 and 2");
    EXPECT_MESSAGE(circuit_logits(std::vector<double>(8), std::vector<double>(6), of.frequencies, Partial::slice,
                                  Pairing::half, 4),
                   BadInput, "8 channels");
}

}  // namespace
}  // namespace ropelab
