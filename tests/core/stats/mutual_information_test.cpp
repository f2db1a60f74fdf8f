#include "core/stats/token_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using Tokens = std::vector<std::int32_t>;
using Distances = std::vector<std::int64_t>;

TEST(MutualInformation, AlternatingTextHasOneBit) {
    const Tokens tokens = {0, 1, 0, 1, 0, 1, 0, 1, 0};
    const MutualInformation result = mutual_information(tokens, 2, Distances{1});
    ASSERT_EQ(result.nats.size(), 1u);
    EXPECT_NEAR(result.plug_in[0], std::numbers::ln2, 1e-12);
    // The 8 pairs have 2 different pairs, first tokens and second tokens, so the correction is −(2 − 2 − 2 + 1)/16.
    EXPECT_NEAR(result.nats[0], std::numbers::ln2 + 1.0 / 16, 1e-12);
    EXPECT_EQ(result.tokens, 9);
}

TEST(MutualInformation, AgreesWithManuallyCountedPairs) {
    // The pairs at distance 1 are 01 10 00 02 21 11 10, those at distance 2 are 00 10 02 01 21 10.
    const Tokens tokens = {0, 1, 0, 0, 2, 1, 1, 0};
    const MutualInformation result = mutual_information(tokens, 3, Distances{1, 2});
    const auto entropy = [](std::vector<double> counts) {
        double n = 0;
        double sum = 0;
        for (const double count : counts) n += count;
        for (const double count : counts) sum -= count / n * std::log(count / n);
        return sum;
    };
    const double first = entropy({3, 3, 1}) + entropy({3, 3, 1}) - entropy({1, 2, 1, 1, 1, 1});
    const double second = entropy({3, 2, 1}) + entropy({3, 2, 1}) - entropy({1, 2, 1, 1, 1});
    EXPECT_NEAR(result.plug_in[0], first, 1e-12);
    EXPECT_NEAR(result.plug_in[1], second, 1e-12);
    EXPECT_NEAR(result.nats[0], first - (6.0 - 3 - 3 + 1) / 14, 1e-12);
    EXPECT_NEAR(result.nats[1], second - (5.0 - 3 - 3 + 1) / 12, 1e-12);
}

TEST(MutualInformation, CorrectionRemovesTheBiasForIndependentTokens) {
    std::mt19937 random(7);
    Tokens tokens(20'000);
    for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % 8);
    Distances distances;
    for (int i = 1; i <= 40; ++i) distances.push_back(i);
    const MutualInformation result = mutual_information(tokens, 8, distances);
    double plain = 0;
    double corrected = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        EXPECT_GT(result.plug_in[i], 0);
        plain += result.plug_in[i] / 40;
        corrected += result.nats[i] / 40;
    }
    // For independent tokens, the plug-in estimate is (8 − 1)²/(2n) on average.
    EXPECT_NEAR(plain, 49.0 / 40'000, 1e-4);
    EXPECT_NEAR(corrected, 0, 1e-4);
}

TEST(MutualInformation, LargeVocabularyGivesTheSameResult) {
    std::mt19937 random(3);
    Tokens tokens(3000);
    for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % 5 + random() % 3);
    const Distances distances = {1, 2, 7, 100};
    const MutualInformation small = mutual_information(tokens, 7, distances);
    const MutualInformation large = mutual_information(tokens, 70'000, distances);
    for (std::size_t i = 0; i < distances.size(); ++i) EXPECT_NEAR(small.nats[i], large.nats[i], 1e-12);
}

TEST(MutualInformation, OmitsDistancesWithoutPairs) {
    const Tokens tokens = {0, 1, 1};
    EXPECT_THAT(mutual_information(tokens, 2, Distances{1, 2, 3, 9}).distances, testing::ElementsAre(1, 2));
    EXPECT_TRUE(mutual_information({}, 2, Distances{1}).distances.empty());
    EXPECT_TRUE(mutual_information(tokens, 2, Distances{1, 2}, [] { return true; }).distances.empty());
}

TEST(MutualInformation, ThrowsForInvalidTokensAndDistances) {
    const Tokens high = {0, 4};
    const Tokens first_outside = {0, 3};
    const Tokens negative = {0, -1};
    const Tokens tokens = {0, 1};
    const Distances zero = {0};
    const Distances twice = {5, 5};
    EXPECT_MESSAGE(mutual_information(high, 3, zero), BadInput, "The token 4 is outside the vocabulary of 3");
    EXPECT_MESSAGE(mutual_information(first_outside, 3, zero), BadInput, "The token 3 is outside");
    EXPECT_MESSAGE(mutual_information(negative, 3, zero), BadInput, "The token -1 is outside");
    EXPECT_MESSAGE(mutual_information(tokens, 3, zero), BadInput, "The distance 0 must be 1 or more");
    EXPECT_MESSAGE(mutual_information(tokens, 3, twice), BadInput, "The distance 5 must be 6 or more");
}

TEST(MutualInformation, ShuffledTextIsTheNullOfTheEstimate) {
    std::vector<std::int32_t> tokens(20'000);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i % 4);  // fully dependent
    const auto distances = spaced_distances(500);
    const auto null = shuffled_information(tokens, 4, distances, 1);
    ASSERT_TRUE(null);
    // For 4 tokens, the estimate without dependence has 9 degrees of freedom: its deviation is √(2·9)/(2n).
    const double deviation = std::sqrt(18.0) / 40'000;
    EXPECT_NEAR(null->mean, 0, deviation);
    EXPECT_NEAR(null->deviation, deviation, 0.5 * deviation);
    for (const double nats : mutual_information(tokens, 4, distances).nats) EXPECT_GT(nats, 100 * null->upper());
    const auto again = shuffled_information(tokens, 4, distances, 1);
    EXPECT_EQ(again->mean, null->mean);
    EXPECT_NE(shuffled_information(tokens, 4, distances, 2)->mean, null->mean);
    EXPECT_FALSE(shuffled_information(tokens, 4, Distances{1}, 1));
    EXPECT_FALSE(shuffled_information(tokens, 4, distances, 1, [] { return true; }));
}

TEST(MutualInformation, SpacedDistancesAscendWithoutRepetition) {
    const Distances distances = spaced_distances(5000);
    EXPECT_EQ(distances.front(), 1);
    EXPECT_LE(distances.back(), 5000);
    EXPECT_GT(distances.back(), 4000);
    for (std::size_t i = 1; i < distances.size(); ++i) EXPECT_GT(distances[i], distances[i - 1]);
    EXPECT_THAT(spaced_distances(3), testing::ElementsAre(1, 2, 3));
    EXPECT_TRUE(spaced_distances(0).empty());
}

TEST(MutualInformation, ItsWidthIsTheDistanceOfHalfTheLargestValue) {
    EXPECT_NEAR(dependency_width({{1, 2, 4, 8, 16, 32}, {0.1, 1, 1, 0.8, 0.2, 0.9}, {}, 0}), 12, 1e-12);
    EXPECT_NEAR(dependency_width({{1, 2, 4}, {4, 3, 1}, {}, 0}), 3, 1e-12);
    EXPECT_TRUE(std::isinf(dependency_width({{1, 2}, {4, 3}, {}, 0})));
    EXPECT_TRUE(std::isnan(dependency_width({{1, 2}, {0, -0.1}, {}, 0})));
    EXPECT_TRUE(std::isnan(dependency_width({})));
}

}  // namespace
}  // namespace ropelab
