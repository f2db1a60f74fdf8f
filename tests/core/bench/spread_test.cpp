#include "core/bench/benchmarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ropelab::bench {
namespace {

TEST(Spread, InterpolatesBetweenSortedValues) {
    const std::vector<double> values = {4, 1, 3, 2};
    const Spread spread = spread_of(values);
    EXPECT_EQ(spread.repetitions, 4U);
    EXPECT_DOUBLE_EQ(spread.median, 2.5);
    EXPECT_DOUBLE_EQ(spread.lower, 1.75);
    EXPECT_DOUBLE_EQ(spread.upper, 3.25);
    EXPECT_DOUBLE_EQ(spread.minimum, 1);
    EXPECT_DOUBLE_EQ(spread.maximum, 4);
    EXPECT_THROW(spread_of({}), std::invalid_argument);
}

TEST(Spread, SpeedIsTheInverseOfTime) {
    const std::vector<double> seconds = {0.5, 1, 2};
    const Spread speed = speed_of(seconds, 10);
    EXPECT_DOUBLE_EQ(speed.median, 10);
    EXPECT_DOUBLE_EQ(speed.minimum, 5);
    EXPECT_DOUBLE_EQ(speed.maximum, 20);
}

TEST(Spread, PairedRatiosCancelSlowRounds) {
    const std::vector<double> slow = {2, 20, 2};
    const std::vector<double> fast = {1, 10, 1};
    const Spread ratio = ratio_of(slow, fast);
    EXPECT_DOUBLE_EQ(ratio.minimum, 2);
    EXPECT_DOUBLE_EQ(ratio.maximum, 2);
    EXPECT_THROW(ratio_of(slow, std::vector<double>{1}), std::invalid_argument);
}

TEST(TakeTurns, AlternatesAndIgnoresTheFirstRound) {
    std::string order;
    const auto seconds = measure_alternately({[&] { order += 'A'; }, [&] { order += 'B'; }}, {2, 3, 1e9});
    EXPECT_EQ(order, "ABABABAB");
    ASSERT_EQ(seconds.size(), 2U);
    EXPECT_EQ(seconds[0].size(), 3U);
    EXPECT_EQ(seconds[1].size(), 3U);
}

TEST(TakeTurns, EndsAtTheTimeLimitButNotBeforeTheMinimumNumberOfRounds) {
    int calls = 0;
    measure_alternately({[&] { ++calls; }}, {4, 100, 0});
    EXPECT_EQ(calls, 5);
}

TEST(TakeTurns, ThrowsIfCancelled) {
    int calls = 0;
    EXPECT_THROW(measure_alternately({[&] { ++calls; }}, {5, 5, 1e9}, [&] { return calls == 2; }), std::runtime_error);
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace ropelab::bench
