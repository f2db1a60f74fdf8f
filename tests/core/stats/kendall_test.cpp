#include "core/stats/kendall.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"

namespace ropelab {
namespace {

// Expected values: counts of all orders by a Python script (itertools.permutations); without ties they equal
// scipy.stats.kendalltau(method="exact").

TEST(Kendall, FiveFallingValuesHaveOneOrderOf120) {
    const KendallStratum falling{{10, 25, 50, 75, 100}, {5, 4, 3, 2, 1}};
    const KendallTrend trend = kendall_trend(std::vector<KendallStratum>{falling});
    EXPECT_EQ(trend.score, -10);
    EXPECT_NEAR(trend.p_falling, 1.0 / 120, 1e-12);
    EXPECT_NEAR(trend.p, 2.0 / 120, 1e-12);
    EXPECT_NEAR(trend.p_rising, 1, 1e-12);
}

TEST(Kendall, TwoGroupsGiveTheExactRankSumTest) {
    const KendallStratum groups{{0, 0, 1, 1, 1, 1, 1}, {7, 6, 5, 4, 3, 2, 1}};
    const KendallTrend trend = kendall_trend(std::vector<KendallStratum>{groups});
    EXPECT_EQ(trend.score, -10);
    EXPECT_NEAR(trend.p_falling, 1.0 / 21, 1e-12);  // 1 / C(7, 2)
    EXPECT_NEAR(trend.p, 2.0 / 21, 1e-12);
}

TEST(Kendall, StrataMultiplyAndTiesCountNothing) {
    const KendallStratum two{{1, 2}, {2, 1}};
    const KendallTrend strata = kendall_trend(std::vector<KendallStratum>{two, two, two});
    EXPECT_EQ(strata.score, -3);
    EXPECT_NEAR(strata.p_falling, 0.125, 1e-12);
    const KendallStratum tied{{10, 25, 50, 75, 100}, {11.80, 12.35, 12.10, 12.35, 12.33}};
    const KendallTrend trend = kendall_trend(std::vector<KendallStratum>{tied});
    EXPECT_EQ(trend.score, 3);
    EXPECT_NEAR(trend.p, 0.6333333333, 1e-9);
    EXPECT_NEAR(trend.p_rising, 0.3166666667, 1e-9);
}

TEST(Kendall, NothingToOrderGivesNoEvidence) {
    const KendallTrend trend = kendall_trend({});
    EXPECT_EQ(trend.score, 0);
    EXPECT_EQ(trend.p, 1);
}

TEST(Kendall, RefusesBadPairs) {
    EXPECT_THROW(kendall_trend(std::vector<KendallStratum>{KendallStratum{{1, 2}, {1}}}), BadInput);
    EXPECT_THROW(
        kendall_trend(std::vector<KendallStratum>{KendallStratum{{1}, {std::numeric_limits<double>::quiet_NaN()}}}),
        BadInput);
    const std::vector<double> nine(9, 1.0);
    EXPECT_THROW(kendall_trend(std::vector<KendallStratum>{KendallStratum{nine, nine}}), BadInput);
}

}  // namespace
}  // namespace ropelab
