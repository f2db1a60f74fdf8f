#include <gtest/gtest.h>

#include "core/rope/context.h"

namespace ropelab {
namespace {

struct Edges {
    std::int64_t context;
    double first_low;   // lower limit for the start of the first feasible interval
    double first_high;  // upper limit for the start of the first feasible interval
    double all_above;   // start of the last feasible interval
};

class BaseScans : public testing::TestWithParam<Edges> {};

// The reference values are the first feasible base for d = 128 and the base above which all bases are feasible, for a
// scan to 1e6 in steps of 100.
TEST_P(BaseScans, FirstAndLastIntervalMatchTheReferenceValues) {
    const FeasibleBases bases = feasible_bases({.head_dim = 128}, GetParam().context, {100, 1e6, 100});
    ASSERT_TRUE(bases.complete);
    EXPECT_GE(bases.intervals.front().low, GetParam().first_low);
    EXPECT_LE(bases.intervals.front().low, GetParam().first_high);
    EXPECT_NEAR(bases.intervals.back().low, GetParam().all_above, 0.015 * GetParam().all_above);
    EXPECT_EQ(bases.intervals.back().high, 1e6);
    EXPECT_GT(bases.intervals.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Contexts, BaseScans,
                         testing::Values(Edges{1024, 4250, 4350, 6.05e3}, Edges{2048, 11550, 11650, 2.27e4},
                                         Edges{4096, 26950, 29050, 5.9e4}, Edges{8192, 83450, 84450, 3.9e5},
                                         Edges{16384, 2.25e5, 2.35e5, 7.4e5}));

}  // namespace
}  // namespace ropelab
