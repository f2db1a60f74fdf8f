#include <gtest/gtest.h>

#include "core/rope/context.h"

namespace ropelab {
namespace {

struct Edges {
    std::int64_t context;
    double first_low;  // where the first island begins, give or take
    double first_high;
    double all_above;
};

class BaseScans : public testing::TestWithParam<Edges> {};

// The formula book's first feasible base at d = 128, and the base above which all are, scanned to 1e6 in steps of 100.
TEST_P(BaseScans, EdgesOfTheFormulaBook) {
    const FeasibleBases bases = feasible_bases({.head_dim = 128}, GetParam().context, {100, 1e6, 100});
    ASSERT_TRUE(bases.complete);
    EXPECT_GE(bases.intervals.front().low, GetParam().first_low);
    EXPECT_LE(bases.intervals.front().low, GetParam().first_high);
    EXPECT_NEAR(bases.intervals.back().low, GetParam().all_above, 0.015 * GetParam().all_above);
    EXPECT_EQ(bases.intervals.back().high, 1e6);
    EXPECT_GT(bases.intervals.size(), 1U);  // islands
}

INSTANTIATE_TEST_SUITE_P(Contexts, BaseScans,
                         testing::Values(Edges{1024, 4250, 4350, 6.05e3}, Edges{2048, 11550, 11650, 2.27e4},
                                         Edges{4096, 26950, 29050, 5.9e4}, Edges{8192, 83450, 84450, 3.9e5},
                                         Edges{16384, 2.25e5, 2.35e5, 7.4e5}));

}  // namespace
}  // namespace ropelab
