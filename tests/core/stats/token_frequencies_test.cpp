#include "core/stats/token_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(TokenFrequencies, CountsTokensAndWords) {
    const std::vector<std::int32_t> tokens = {2, 0, 2, 2, 4};
    const std::vector<std::int64_t> counts = token_counts(tokens, 5);
    EXPECT_THAT(counts, testing::ElementsAre(1, 0, 3, 0, 1));
    EXPECT_THAT(ranked_counts(counts), testing::ElementsAre(3, 1, 1));
    EXPECT_THAT(word_counts("to be  or\nnot to be to"), testing::ElementsAre(3, 2, 1, 1));
    EXPECT_TRUE(word_counts(" \n ").empty());
    EXPECT_MESSAGE(token_counts(tokens, 4), BadInput, "The token 4 is outside the vocabulary of 4 tokens");
}

TEST(TokenFrequencies, FitFindsTheExponentOfAPowerLaw) {
    std::vector<std::int64_t> counts;
    double total = 0;
    for (int rank = 1; rank <= 400; ++rank) {
        counts.push_back(std::llround(1e9 * std::pow(rank, -1.1)));
        total += static_cast<double>(counts.back());
    }
    const auto fit = fit_zipf(counts);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->exponent, 1.1, 1e-6);
    EXPECT_NEAR(fit->intercept, std::log(1e9 / total), 1e-5);
    EXPECT_EQ(fit->first_rank, 1);
    EXPECT_EQ(fit->last_rank, 400);
    EXPECT_NEAR(fit->r_squared, 1, 1e-9);
    EXPECT_LT(fit->r_squared_geometric, 0.8);
    EXPECT_EQ(fit_zipf(counts, 0, 20)->exponent, fit_zipf(counts, 1, 20)->exponent) << "ranks begin with 1";
    const auto part = fit_zipf(counts, 10, 20);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->first_rank, 10);
    EXPECT_EQ(part->last_rank, 20);
    EXPECT_NEAR(part->exponent, 1.1, 1e-5);
}

TEST(TokenFrequencies, GeometricFrequenciesFitTheOtherLaw) {
    std::vector<std::int64_t> counts;
    for (int rank = 1; rank <= 40; ++rank) counts.push_back(std::llround(1e9 * std::pow(0.8, rank)));
    const auto fit = fit_zipf(counts);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->r_squared_geometric, 1, 1e-6);
    EXPECT_LT(fit->r_squared, fit->r_squared_geometric);
}

TEST(TokenFrequencies, FitAgreesWithADirectComputation) {
    // ln f = ln(40, 20, 10)/70 against ln(1, 2, 3); the fourth rank has fewer than 10 tokens.
    const std::vector<std::int64_t> counts = {40, 20, 10, 5};
    const double x[] = {0, std::log(2.0), std::log(3.0)};
    const double y[] = {std::log(40.0), std::log(20.0), std::log(10.0)};
    const double x_mean = (x[0] + x[1] + x[2]) / 3;
    const double y_mean = (y[0] + y[1] + y[2]) / 3;
    double xy = 0;
    double xx = 0;
    for (int i = 0; i < 3; ++i) {
        xy += (x[i] - x_mean) * (y[i] - y_mean);
        xx += (x[i] - x_mean) * (x[i] - x_mean);
    }
    const auto fit = fit_zipf(counts);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->last_rank, 3);
    EXPECT_NEAR(fit->exponent, -xy / xx, 1e-12);
}

TEST(TokenFrequencies, NoFitWithoutThreeDifferentRanks) {
    EXPECT_FALSE(fit_zipf(std::vector<std::int64_t>{50, 20}));
    EXPECT_FALSE(fit_zipf(std::vector<std::int64_t>{50, 20, 9}));
    EXPECT_FALSE(fit_zipf(std::vector<std::int64_t>{50, 50, 50}));
}

}  // namespace
}  // namespace ropelab
