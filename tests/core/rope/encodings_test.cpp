#include "core/rope/encodings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/rope/frequencies.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

TEST(Encodings, AlibiSlopesOfEightHeadsGoFrom1Over2To1Over256) {
    const std::vector<double> slopes = alibi_slopes(8);
    ASSERT_EQ(slopes.size(), 8U);
    EXPECT_EQ(slopes.front(), 0.5);
    EXPECT_EQ(slopes.back(), 1.0 / 256);
}

TEST(Encodings, AlibiSlopesAgreeWithXTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/position_methods.json");
    const auto oracle = read_json_file(shared_data("oracles/position_methods.json"))["alibi"]["slopes"];
    EXPECT_GE(oracle.size(), 9U);
    for (const auto& [heads, wanted] : oracle.items()) {
        const std::vector<double> slopes = alibi_slopes(std::stoul(heads));
        const auto expected = wanted["slopes_x_transformers"].get<std::vector<double>>();
        ASSERT_EQ(slopes.size(), expected.size()) << heads;
        for (std::size_t i = 0; i < slopes.size(); ++i) EXPECT_NEAR(slopes[i], expected[i], 1e-12) << heads;
    }
}

TEST(Encodings, SinusoidalEmbeddingsAgreeWithHuggingFaceTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/position_methods.json");
    const auto oracle = read_json_file(shared_data("oracles/position_methods.json"))["sinusoidal"];
    // In the reference, all sines come before all cosines; in the formula, sines and cosines alternate.
    for (const char* name : {"gptj_create_sinusoidal_positions_16x16", "marian_16x12"}) {
        const auto rows = oracle[name].get<std::vector<std::vector<double>>>();
        const std::size_t width = rows.front().size();
        const std::vector<double> ours = sinusoidal_embeddings(rows.size(), width);
        for (std::size_t m = 0; m < rows.size(); ++m) {
            for (std::size_t i = 0; i < width / 2; ++i) {
                EXPECT_NEAR(ours[m * width + 2 * i], rows[m][i], 1e-6) << name;
                EXPECT_NEAR(ours[m * width + 2 * i + 1], rows[m][width / 2 + i], 1e-6) << name;
            }
        }
    }
}

TEST(Encodings, ShawIndicesAreClippedDistances) {
    EXPECT_EQ(shaw_indices(6, 3), (std::vector{0, 1, 2, 3, 3, 3}));
    EXPECT_EQ(shaw_indices(3, 0), (std::vector{0, 0, 0}));
}

TEST(Encodings, T5BucketsAgreeWithHuggingFaceTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/position_methods.json");
    const auto cases = read_json_file(shared_data("oracles/position_methods.json"))["t5_buckets"]["cases"];
    int compared = 0;
    for (const auto& wanted : cases) {
        if (wanted["bidirectional"].get<bool>()) continue;  // causal attention has no later keys
        const auto buckets = wanted["buckets"].get<std::vector<int>>();
        const int first = wanted["relative_position_from"].get<int>();  // the relative position is key − query
        const auto ours = t5_buckets(static_cast<std::size_t>(1 - first), wanted["num_buckets"].get<int>(),
                                     wanted["max_distance"].get<int>());
        for (int distance = 0; distance <= -first; ++distance, ++compared) {
            EXPECT_EQ(ours[static_cast<std::size_t>(distance)], buckets[static_cast<std::size_t>(-first - distance)])
                << "distance " << distance;
        }
    }
    EXPECT_EQ(compared, 3 * 301);
}

TEST(Encodings, T5BucketsNeedRoomForBothHalves) {
    EXPECT_THROW(t5_buckets(4, 1, 128), BadInput);
    EXPECT_THROW(t5_buckets(4, 32, 16), BadInput);
    EXPECT_EQ(t5_buckets(6, 2, 2), (std::vector{0, 1, 1, 1, 1, 1}));
}

TEST(Encodings, KerpleIsALogarithmOfTheDistance) {
    const KerpleKernel kernel = {.r1 = 2, .r2 = 0.5};
    EXPECT_EQ(kernel.bias(0), 0);
    EXPECT_DOUBLE_EQ(kernel.bias(2), -2 * std::log(2.0));
    EXPECT_DOUBLE_EQ(kernel.bias(100), -2 * std::log(51.0));
    // Four heads start at the middles of the quarters of (0, 2) and (0, 1).
    const std::vector<KerpleKernel> kernels = initial_kernels(4);
    ASSERT_EQ(kernels.size(), 4U);
    for (std::size_t head = 0; head < 4; ++head) {
        EXPECT_DOUBLE_EQ(kernels[head].r1, 0.25 + 0.5 * static_cast<double>(head));
        EXPECT_DOUBLE_EQ(kernels[head].r2, 0.125 + 0.25 * static_cast<double>(head));
    }
}

TEST(Encodings, XposDecaysAndScoresAgreeWithXTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/position_methods.json");
    const auto cases = read_json_file(shared_data("oracles/position_methods.json"))["xpos"]["cases"];
    const auto tensors = read_json_file(shared_data("oracles/rotated_tensors.json"));
    using Heads = std::vector<std::vector<std::vector<std::vector<double>>>>;  // (1, heads, time, channels)
    const auto queries = tensors["q"].get<Heads>()[0];
    const auto keys = tensors["k"].get<Heads>()[0];
    ASSERT_EQ(cases.size(), 2U);
    for (const auto& wanted : cases) {
        const int dimension = wanted["dim"].get<int>();
        const double scale_base = wanted["scale_base"].get<double>();
        const auto scales = wanted["scale_per_pos"].get<std::vector<std::vector<std::vector<double>>>>()[0];
        const auto scores = wanted["scores"].get<Heads>()[0];
        const std::vector<double> radians = slice_frequencies(dimension, 10000);
        for (std::size_t head = 0; head < queries.size(); ++head) {
            for (std::size_t m = 0; m < scales.size(); ++m) {
                for (std::size_t n = 0; n <= m; ++n) {
                    const auto distance = static_cast<double>(m - n);
                    const std::vector<double> factors = xpos_decay(dimension, distance, scale_base);
                    double score = 0;
                    for (std::size_t i = 0; i < factors.size(); ++i) {
                        EXPECT_NEAR(factors[i], scales[m][2 * i] / scales[n][2 * i], 1e-6);
                        const auto& q = queries[head][m];  // the pairs are neighbouring channels
                        const auto& k = keys[head][n];
                        const double along = q[2 * i] * k[2 * i] + q[2 * i + 1] * k[2 * i + 1];
                        const double across = q[2 * i] * k[2 * i + 1] - q[2 * i + 1] * k[2 * i];
                        const double angle = distance * radians[i];
                        score += factors[i] * (along * std::cos(angle) + across * std::sin(angle));
                    }
                    EXPECT_NEAR(score / std::sqrt(dimension), scores[head][m][n], 2e-5);
                }
            }
        }
    }
}

TEST(Encodings, XposDecaysFastPairsFirst) {
    const std::vector<double> decay = xpos_decay(8);
    ASSERT_EQ(decay.size(), 4U);
    EXPECT_DOUBLE_EQ(decay[0], 0.4 / 1.4);
    EXPECT_DOUBLE_EQ(decay[3], (0.75 + 0.4) / 1.4);
    EXPECT_EQ(xpos_decay(8, 0, 512), (std::vector{1.0, 1.0, 1.0, 1.0}));
    EXPECT_DOUBLE_EQ(xpos_decay(8, 512, 512)[1], decay[1]);
}

TEST(Encodings, SlidingWindowIncludesTheTokenItself) {
    EXPECT_TRUE(attends(5, 5, 1));
    EXPECT_FALSE(attends(5, 4, 1));
    EXPECT_TRUE(attends(5, 3, 3));
    EXPECT_FALSE(attends(5, 2, 3));
    EXPECT_FALSE(attends(5, 6, 3));
    EXPECT_TRUE(attends(5, 0, 0));
    EXPECT_FALSE(attends(5, -1, 0));
}

}  // namespace
}  // namespace ropelab
