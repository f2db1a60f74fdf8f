#include "core/study/ablation_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ropelab {
namespace {

using Sets = std::vector<std::vector<std::int64_t>>;

const std::vector<double> contributions = {0.4, 0.1, 0.1, 0.1, 0.1, 0.2};
const std::vector<std::int64_t> every = {0, 1, 2, 3, 4, 5};

TEST(AblationControls, HaveTheContributionOfTheAblatedPairs) {
    const std::vector<std::int64_t> ablated = {5};
    // The sets of exactly 0.2 are the six pairs of {1, 2, 3, 4}; 200 orders find all of them.
    const Sets sets = control_pairs(contributions, every, ablated, 10);
    ASSERT_EQ(sets.size(), 6U);
    for (const auto& set : sets) {
        EXPECT_EQ(set.size(), 2U);
        EXPECT_DOUBLE_EQ(total_contribution(contributions, set), 0.2);
        EXPECT_EQ(std::count(set.begin(), set.end(), 5), 0);
        EXPECT_TRUE(std::is_sorted(set.begin(), set.end()));
    }
    EXPECT_EQ(std::set(sets.begin(), sets.end()).size(), 6U);
    EXPECT_EQ(control_pairs(contributions, every, ablated, 10), sets);  // the same at every call
    EXPECT_EQ(control_pairs(contributions, every, ablated, 4), Sets(sets.begin(), sets.begin() + 4));
}

TEST(AblationControls, UseOnlyPairsThatTheAblationCanChange) {
    const std::vector<std::int64_t> ablated = {5};
    EXPECT_EQ(control_pairs(contributions, std::vector<std::int64_t>{1, 3, 5}, ablated, 3), (Sets{{1, 3}}));
}

TEST(AblationControls, AreMissingIfNoSetFits) {
    // 0.6 is ablated, and the others have 0.4: further away than 20 %.
    EXPECT_TRUE(control_pairs(contributions, every, std::vector<std::int64_t>{0, 5}, 3).empty());
    EXPECT_TRUE(control_pairs(contributions, every, every, 3).empty());
    EXPECT_TRUE(control_pairs(contributions, every, std::vector<std::int64_t>{}, 3).empty());
    // A difference of up to 0.01 is accepted however small the contribution is.
    EXPECT_EQ(control_pairs(std::vector<double>{0.001, 0.009}, std::vector<std::int64_t>{0, 1},
                            std::vector<std::int64_t>{0}, 3),
              (Sets{{1}}));
}

TEST(AblationControls, ContributionsAreMeansOverLayersAndHeads) {
    ProbeResult result;
    EXPECT_TRUE(pair_contributions(result).empty());
    result.logit_contribution = {{1, 2, 3}, {0.5F, 0.5F, 0, 0.25F, 0.75F, 0}};
    EXPECT_EQ(pair_contributions(result), (std::vector<double>{0.375, 0.625}));
}

}  // namespace
}  // namespace ropelab
