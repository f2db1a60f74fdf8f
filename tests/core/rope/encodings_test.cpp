#include "core/rope/encodings.h"

#include <gtest/gtest.h>

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
