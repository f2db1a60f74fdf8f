#include "core/rope/logit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/rope/rotary_setup.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

std::vector<double> pair_term_vector(int head_dim, double start) {
    std::vector<double> vector;
    for (int c = 0; c < head_dim; ++c) vector.push_back(std::sin(start + 1.7 * c) + 0.2);
    return vector;
}

TEST(PairTerm, EqualsTheSplitOfTheLogitForEverySetup) {
    for (const char* text : {"", "fraction=25%", "fraction=40% partial=truncate", "fraction=0 partial=truncate",
                             "pairing=interleaved", "scaling=linear factor=4", "scaling=ntk factor=4",
                             "scaling=dynamic factor=2", "scaling=ntk-by-parts factor=4", "scaling=yarn factor=8",
                             "scaling=llama3 factor=8", "scaling=yarn factor=4 fraction=50% partial=truncate"}) {
        const RotarySetup setup = parse_setup(text);
        const Frequencies frequency = frequencies(frequency_settings(setup));
        const std::vector<double> query = pair_term_vector(setup.head_dim, 0.3);
        const std::vector<double> key = pair_term_vector(setup.head_dim, 1.1);
        const std::vector<ChannelPair> pairs =
            channel_pairs(setup.head_dim, frequency.rotary_dim, setup.partial, setup.pairing);
        for (const auto& [m, n] : {std::pair{100, 60}, {60, 100}, {1000, 1}, {7, 7}}) {
            const LogitSplit split = split_logit(query, key, m, n, frequency, setup.partial, setup.pairing);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                const std::complex<double> q(query[pairs[i].first], query[pairs[i].second]);
                const std::complex<double> k(key[pairs[i].first], key[pairs[i].second]);
                const PairTerm pair =
                    pair_term(q, k, m, n, frequency.inverse_frequencies[i], frequency.attention_factor, setup.head_dim);
                EXPECT_NEAR(pair.term, split.pairs[i], 1e-12) << text << " pair " << i;
                // The dot product of the rotated vectors is the projection of one times the norm of the other.
                const double dot = (pair.rotated_query * std::conj(pair.rotated_key)).real();
                EXPECT_NEAR(pair.product, dot, 1e-11) << text << " pair " << i;
                EXPECT_NEAR(pair.projection * pair.key_norm, dot, 1e-11);
                const double between = std::arg(pair.rotated_query * std::conj(pair.rotated_key));
                EXPECT_NEAR(std::cos(pair.angle), std::cos(between), 1e-11) << text << " pair " << i;
                EXPECT_NEAR(std::sin(pair.reduced_angle), std::sin(between), 1e-11) << text << " pair " << i;
            }
        }
    }
}

TEST(PairTerm, RotatesCounterclockwiseAndCountsAnglesFromKToQ) {
    const PairTerm pair = pair_term({0, 2}, {3, 0}, 10, 4, 0.05, 1, 64);
    EXPECT_NEAR(pair.phase, std::numbers::pi / 2, 1e-15);
    EXPECT_NEAR(std::arg(pair.rotated_key), 0.2, 1e-15);
    EXPECT_NEAR(pair.query_rotation, 0.5, 1e-15);
    EXPECT_NEAR(pair.relative_rotation, 0.3, 1e-15);
    EXPECT_NEAR(pair.angle, std::numbers::pi / 2 + 0.3, 1e-15);
    EXPECT_NEAR(pair.projection, 2 * std::cos(std::numbers::pi / 2 + 0.3), 1e-15);
    EXPECT_NEAR(pair.term, 6 * std::cos(std::numbers::pi / 2 + 0.3) / 8, 1e-15);
    EXPECT_NEAR(pair_term({0, 2}, {3, 0}, 10, 4, 0.05, 1.5, 64).term, 2.25 * pair.term, 1e-15);
}

TEST(PairTerm, ACommonShiftChangesBothRotationsAndNotTheirSum) {
    const PairTerm before = pair_term({0.4, -1}, {1, 0.3}, 100, 60, 0.731, 1, 64);
    const PairTerm after = pair_term({0.4, -1}, {1, 0.3}, 1100, 1060, 0.731, 1, 64);
    EXPECT_NE(before.query_rotation, after.query_rotation);
    EXPECT_NE(before.key_rotation, after.key_rotation);
    EXPECT_EQ(before.angle, after.angle);
    EXPECT_EQ(before.term, after.term);
}

TEST(PairTerm, HandlesVectorsOfLengthZeroAndRejectsAHeadOfNoDimension) {
    const PairTerm pair = pair_term({0, 0}, {1, 1}, 5, 2, 0.5, 1, 8);
    EXPECT_EQ(pair.phase, 0);
    EXPECT_EQ(pair.term, 0);
    EXPECT_MESSAGE(pair_term({0, 1}, {1, 0}, 5, 2, 0.5, 1, 0), BadInput, "head dimension is 0");
}

}  // namespace
}  // namespace ropelab
