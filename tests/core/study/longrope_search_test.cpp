#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/study/extrapolation.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

/// Model whose loss is the distance of the divisors from these.
class DistanceModel : public Model {
 public:
    explicit DistanceModel(std::vector<double> best) : best_(std::move(best)) {}
    std::vector<float> logits(std::span<const std::int32_t>) override { return {}; }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation&) override { return {}; }
    double whole_loss(std::span<const std::int32_t>) override { return 0; }
    ProbeResult probe(const ProbeRequest& request) override {
        requests.push_back(request);
        ProbeResult result;
        for (std::size_t i = 0; i < best_.size(); ++i)
            result.loss += std::abs(request.scaling.long_factors.at(i) - best_[i]);
        losses.push_back(result.loss);
        return result;
    }
    std::vector<ProbeRequest> requests;
    std::vector<double> losses;

 private:
    std::vector<double> best_;
};

// 4 pairs of 8 channels, a context of 16.
LongRopeSearch found_by(DistanceModel& model, std::int64_t factor, std::int64_t tokens) {
    std::vector<std::int32_t> text(static_cast<std::size_t>(tokens));
    std::iota(text.begin(), text.end(), 0);
    return search_longrope(model, plan_of(tiny_spec(), 29), text, factor, {}).value();
}

TEST(LongRopeSearch, BeginsWithTheMethodsAndKeepsTheBestOfAllLists) {
    for (const std::vector<double>& best :
         {std::vector{1.0, 1.1, 1.9, 2.0}, {1.0, 1.0, 1.0, 1.0}, {1.3, 1.3, 1.7, 1.7}}) {
        DistanceModel model(best);
        const LongRopeSearch found = found_by(model, 2, 1000);
        ASSERT_EQ(model.requests.size(), 3U + 6 * 4) << "three methods, and six rounds of four lists";
        EXPECT_EQ(found.loss, *std::min_element(model.losses.begin(), model.losses.end()));
        EXPECT_LT(found.loss, *std::min_element(model.losses.begin(), model.losses.begin() + 3)) << "no method is best";
        const auto& lists = model.requests;
        EXPECT_EQ(lists[0].scaling.long_factors, std::vector<double>(4, 2.0));  // position interpolation
        for (std::size_t pair = 0; pair < 4; ++pair)                            // θ scaled by 2^(8/6): 2^(2i/6)
            EXPECT_NEAR(lists[1].scaling.long_factors[pair], std::pow(2.0, static_cast<double>(pair) / 3), 1e-9);
        std::size_t changed = 0;
        for (const ProbeRequest& request : lists) {
            const std::vector<double>& divisors = request.scaling.long_factors;
            EXPECT_TRUE(std::is_sorted(divisors.begin(), divisors.end()));
            EXPECT_GE(divisors.front(), 1);
            EXPECT_LE(divisors.back(), 2);
            EXPECT_EQ(request.scaling.short_factors, std::vector<double>(4, 1.0));
            EXPECT_EQ(request.scaling.factor, 2);
            EXPECT_FALSE(request.vectors || request.attention);
            changed += std::count_if(lists.begin(), lists.end(), [&](const ProbeRequest& other) {
                           return other.scaling.long_factors == divisors;
                       }) == 1;
        }
        EXPECT_GT(changed, lists.size() / 2) << "mutations change a divisor";
        DistanceModel again(best);
        EXPECT_EQ(found_by(again, 2, 1000).factors, found.factors);
    }
}

// The random choices do not change from version to version.
TEST(LongRopeSearch, FindsTheFactorsThatEarlierVersionsFound) {
    DistanceModel model({1.3, 1.3, 1.7, 1.7});
    const LongRopeSearch found = found_by(model, 2, 1000);
    EXPECT_THAT(found.factors, testing::Pointwise(testing::DoubleNear(1e-5), {1.15582, 1.35945, 1.68182, 1.72598}));
}

// Tokens are their places in the text.
TEST(LongRopeSearch, UsesEvenlySpacedSequencesOfTheText) {
    DistanceModel model({1, 1, 1, 1});
    found_by(model, 2, 1000);
    const ProbeSequences& four = model.requests[0].sequences;
    EXPECT_EQ(four.length, 32);
    ASSERT_EQ(four.count(), 4);
    const std::int64_t last = 1000 - 33;
    for (std::size_t i = 0; i < four.tokens.size(); ++i) {
        const auto sequence = static_cast<std::int64_t>(i) / 32;
        EXPECT_EQ(four.tokens[i], last * sequence / 3 + static_cast<std::int64_t>(i) % 32) << i;
        EXPECT_EQ(four.targets[i], four.tokens[i] + 1) << i;
    }
    DistanceModel longer({1, 1, 1, 1});
    found_by(longer, 128, 5000);  // 2,048 tokens: two sequences have 4,096
    EXPECT_EQ(longer.requests[0].sequences.count(), 2);
    DistanceModel one({1, 1, 1, 1});
    found_by(one, 256, 5000);
    EXPECT_EQ(one.requests[0].sequences.count(), 1);
    EXPECT_EQ(one.requests[0].sequences.tokens.front(), 0);
}

TEST(LongRopeSearch, NothingCanChangeWithoutExtensionAndLossesThatAreNotFiniteAreTheLargest) {
    DistanceModel same({1, 1, 1, 1});
    EXPECT_EQ(found_by(same, 1, 1000).factors, std::vector<double>(4, 1.0));
    EXPECT_EQ(same.requests.size(), 3U);
    DistanceModel broken({std::nan(""), 1, 1, 1});
    EXPECT_EQ(found_by(broken, 2, 1000).loss, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ropelab
