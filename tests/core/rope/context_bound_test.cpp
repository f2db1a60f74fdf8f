#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/rope/context.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

Frequencies plain(int head_dim, double theta) {
    return frequencies({.head_dim = head_dim, .theta = theta});
}

double direct_bound(const Frequencies& frequencies, int head_dim, double m) {
    double sum = head_dim / 2 - static_cast<double>(frequencies.inverse_frequencies.size());
    for (double frequency : frequencies.inverse_frequencies) sum += std::cos(m * frequency);
    return sum;
}

TEST(ContextBound, AgreesWithTheDirectSum) {  // formulas 12 and 13
    for (double fraction : {0.0, 0.1, 0.75, 1.0}) {
        for (Partial partial : {Partial::slice, Partial::truncate}) {
            const Frequencies f = frequencies({.head_dim = 128, .fraction = fraction, .partial = partial});
            const std::vector<double> bound = context_bound(f, 128, 5000);
            ASSERT_EQ(bound.size(), 5000U);
            EXPECT_NEAR(bound[0], 64, 1e-12);
            for (std::size_t m = 0; m < bound.size(); ++m) {
                ASSERT_NEAR(bound[m], direct_bound(f, 128, static_cast<double>(m)), 1e-9);
            }
        }
    }
    EXPECT_TRUE(context_bound(plain(64, 1e4), 64, 0).empty());
}

TEST(ContextBound, FirstNegativePositionsMatchTheReferenceValues) {
    const double bases[] = {500, 1e3, 5e3, 1e4, 5e4, 1e5, 5e5, 1e6};
    const std::int64_t expected_64[] = {154, 197, 506, 725, 1932, 3616, 9937, 6235};  // not monotonic in the base
    const std::int64_t expected_128[] = {171, 361, 864, 1707, 5306, 7757, 18438, 27115};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(first_negative(plain(64, bases[i]), 64, 100000), expected_64[i]) << bases[i];
        EXPECT_EQ(first_negative(plain(128, bases[i]), 128, 100000), expected_128[i]) << bases[i];
    }
}

TEST(ContextBound, FirstNegativePositionIsSearchedOnlyBelowTheLimit) {
    EXPECT_EQ(first_negative(plain(64, 500), 64, 154), std::nullopt);
    EXPECT_EQ(first_negative(plain(64, 500), 64, 155), 154);
    EXPECT_EQ(first_negative(plain(64, 500), 64, 0), std::nullopt);
}

TEST(ContextBound, IsNeverNegativeIfAtMostHalfOfTheHeadIsRotated) {  // formula 13
    for (double fraction : {0.0, 0.1, 0.5}) {
        for (Partial partial : {Partial::slice, Partial::truncate}) {
            const Frequencies f = frequencies({.theta = 500, .fraction = fraction, .partial = partial});
            EXPECT_EQ(first_negative(f, 64, std::int64_t{1} << 40), std::nullopt);
            for (double value : context_bound(f, 64, 20000)) ASSERT_GE(value, 0);
        }
    }
}

TEST(ContextBound, SearchStopsWhenCancelled) {
    int calls = 0;
    const Cancelled after_three_calls = [&] { return ++calls > 3; };
    EXPECT_EQ(first_negative(plain(64, 1e15), 64, std::int64_t{1} << 40, after_three_calls), std::nullopt);
    EXPECT_EQ(calls, 4);
}

TEST(NegativeFraction, MatchesTheReferenceValues) {
    EXPECT_NEAR(negative_fraction(plain(64, 500), 64, 256), 0.060, 0.0006);
    EXPECT_NEAR(negative_fraction(plain(64, 1000), 64, 256), 0.008, 0.0006);
    EXPECT_EQ(negative_fraction(plain(64, 5000), 64, 256), 0);
    EXPECT_EQ(negative_fraction(plain(64, 1e4), 64, 256), 0);
}

TEST(NegativeFraction, CountsCausalPositionPairs) {
    const Frequencies f = plain(64, 500);
    std::int64_t negative = 0;
    for (int m = 0; m < 200; ++m) {
        for (int n = 0; n <= m; ++n) negative += direct_bound(f, 64, m - n) < 0;
    }
    EXPECT_GT(negative, 0);
    EXPECT_NEAR(negative_fraction(f, 64, 200), static_cast<double>(negative) / (200 * 201 / 2), 1e-12);
    EXPECT_EQ(negative_fraction(f, 64, 0), 0);
}

TEST(LowestBound, MatchesTheReferenceValues) {  // computed with a Python sum of cosines
    const LowestBound shallow = lowest_bound(plain(64, 1850), 64, 256);
    EXPECT_NEAR(shallow.value, -0.15660962962648, 1e-9);
    EXPECT_EQ(shallow.distance, 235);
    EXPECT_EQ(shallow.negative, 1);
    const LowestBound deep = lowest_bound(plain(128, 10000), 128, 4096);
    EXPECT_NEAR(deep.value, -8.36292847212508, 1e-9);
    EXPECT_EQ(deep.distance, 4060);
    EXPECT_EQ(deep.negative, 419);
    const LowestBound wide = lowest_bound(plain(64, 500), 64, 256);
    EXPECT_NEAR(wide.value, -4.011533, 1e-6);
    EXPECT_EQ(wide.distance, 255);
    EXPECT_EQ(wide.negative, 44);
    const LowestBound one = lowest_bound(plain(64, 10000), 64, 1);
    EXPECT_EQ(one.value, 32);
    EXPECT_EQ(one.distance, 0);
    EXPECT_EQ(one.negative, 0);
    EXPECT_MESSAGE(lowest_bound(plain(64, 10000), 64, 0), BadInput, "distances is 0");
}

std::vector<std::pair<double, double>> intervals_of(const FeasibleBases& bases) {
    std::vector<std::pair<double, double>> result;
    for (const BaseInterval& interval : bases.intervals) result.emplace_back(interval.low, interval.high);
    return result;
}

using Intervals = std::vector<std::pair<double, double>>;

TEST(FeasibleBases, IntervalsMatchTheReferenceValues) {  // L = 256, d = 64
    const FeasibleBases near = feasible_bases({.head_dim = 64}, 256, {100, 2000, 1});
    EXPECT_TRUE(near.complete);
    EXPECT_EQ(intervals_of(near), (Intervals{{1413, 1792}, {1892, 1897}, {1952, 2000}}));
    const FeasibleBases far = feasible_bases({.head_dim = 64}, 256, {});
    EXPECT_EQ(intervals_of(far), (Intervals{{1500, 1700}, {2000, 1e6}}));  // the step of 100 misses the narrow interval
}

// Computed with numpy 2: the lowest B(Δ) is 0.025 at 8,749,000 and −0.340 at 8,748,000.
TEST(FeasibleBases, AreSearchedTenTimesAsFarUntilOneSupportsTheContext) {
    const FeasibleBases found = search_bases({.head_dim = 128}, 131072, {});
    ASSERT_FALSE(found.intervals.empty());
    EXPECT_EQ(found.intervals.front().low, 8.749e6);
    EXPECT_EQ(found.scan.high, 1e7);
    EXPECT_EQ(found.scan.step, 50000);
    const FeasibleBases chosen = search_bases({.head_dim = 128}, 131072, {.high = 1e6});
    EXPECT_TRUE(chosen.intervals.empty());
    EXPECT_EQ(chosen.scan.high, 1e6);
    const FeasibleBases near = search_bases({.head_dim = 64}, 256, {});  // as scanned before
    EXPECT_EQ(near.scan.high, 1e6);
    EXPECT_FALSE(near.intervals.empty());
    EXPECT_FALSE(search_bases({.head_dim = 128}, 131072, {}, [] { return true; }).complete);
}

TEST(FeasibleBases, FirstAndLastIntervalMatchTheReferenceValuesForShortContexts) {  // d = 128
    const FeasibleBases bases = feasible_bases({.head_dim = 128}, 1024, {100, 1e5, 100});
    ASSERT_GE(bases.intervals.size(), 2U);
    EXPECT_EQ(bases.intervals.front().low, 4300);
    EXPECT_NEAR(bases.intervals.back().low, 6000, 100);
}

TEST(FeasibleBases, AgreesWithTestingEachBaseSeparately) {
    const BaseScan scan{1000, 30000, 250};
    for (double fraction : {0.75, 1.0}) {
        const FrequencySettings settings{.head_dim = 64, .fraction = fraction};
        const FeasibleBases bases = feasible_bases(settings, 700, scan);
        for (double theta = scan.low; theta <= scan.high; theta += scan.step) {
            FrequencySettings one = settings;
            one.theta = theta;
            const bool supports = !first_negative(frequencies(one), 64, 700);
            const bool found = std::ranges::any_of(bases.intervals, [&](const BaseInterval& interval) {
                return interval.low <= theta && theta <= interval.high;
            });
            EXPECT_EQ(found, supports) << theta;
        }
    }
}

TEST(FeasibleBases, EveryBaseIsFeasibleIfHalfOfTheHeadIsRotated) {
    const FeasibleBases bases = feasible_bases({.head_dim = 64, .fraction = 0.5}, 1000000, {100, 1e6, 1000});
    EXPECT_EQ(intervals_of(bases), (Intervals{{100, 999100}}));
}

TEST(FeasibleBases, AppliesTheScalingAtEveryBase) {
    // Computed with a Python sum of cosines. Without scaling, no base of the scan supports 1,024 tokens.
    const FrequencySettings scaled_settings{.scaling = {.method = ScalingMethod::linear, .factor = 8}};
    EXPECT_EQ(intervals_of(feasible_bases(scaled_settings, 1024, {200, 1200, 50})), (Intervals{{500, 1200}}));
    EXPECT_EQ(intervals_of(feasible_bases({}, 1024, {200, 1200, 50})), Intervals{});
}

TEST(FeasibleBases, ReportsProgressAndCanBeCancelled) {
    std::vector<double> reported;
    feasible_bases({}, 256, {100, 20000, 100}, {}, [&](double fraction) { reported.push_back(fraction); });
    ASSERT_GE(reported.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(reported));
    EXPECT_EQ(reported.front(), 0);
    EXPECT_EQ(reported.back(), 1);

    int calls = 0;
    const FeasibleBases cut = feasible_bases({}, 256, {100, 20000, 100}, [&] { return ++calls > 50; });
    EXPECT_FALSE(cut.complete);
    EXPECT_EQ(calls, 51);
}

// The number of steps is limited, and not the size of the bases.
TEST(FeasibleBases, AShortScanMayBeginAtALargeBase) {
    EXPECT_EQ(intervals_of(feasible_bases({}, 1, {1e9, 1e9 + 2, 1})), (Intervals{{1e9, 1e9 + 2}}));
}

TEST(FeasibleBases, ThrowsForInvalidArguments) {
    EXPECT_MESSAGE(feasible_bases({}, 256, {1, 100, 1}), BadInput, "base 1,");
    EXPECT_MESSAGE(feasible_bases({}, 256, {100, 50, 1}), BadInput, "base 50");
    EXPECT_MESSAGE(feasible_bases({}, 256, {100, 200, 0}), BadInput, "step of the scan is 0");
    EXPECT_MESSAGE(feasible_bases({}, 256, {100, 1e9, 1}), BadInput, "ten million");
    EXPECT_MESSAGE(feasible_bases({}, 0, {}), BadInput, "context is 0");
    EXPECT_MESSAGE(context_bound(plain(64, 1e4), 32, 10), BadInput, "head of 32 channels");
}

}  // namespace
}  // namespace ropelab
