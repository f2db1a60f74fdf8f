#include "core/data/synthetic/random.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace ropelab {
namespace {

TEST(CounterRandom, MatchesTheSplitMix64Sequence) {
    CounterRandom random(1234567);
    for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                         4593380528125082431ULL, 16408922859458223821ULL}) {
        EXPECT_EQ(random.next(), expected);
    }
}

TEST(CounterRandom, SamplesUniformlyBelowTheBound) {
    CounterRandom random(7);
    constexpr int kSamples = 60000;
    std::array<int, 6> counts{};
    for (int i = 0; i < kSamples; ++i) {
        const std::uint32_t value = random.below(6);
        ASSERT_LT(value, 6U);
        ++counts[value];
    }
    double chi_squared = 0;
    for (const int count : counts) chi_squared += (count - 10000.0) * (count - 10000.0) / 10000.0;
    EXPECT_LT(chi_squared, 20.5);  // 5 degrees of freedom, p = 0.001
}

TEST(CounterRandom, SamplesWithoutBiasForABoundThatDoesNotDivideTheRange) {
    // For this bound, two thirds of 2^32, sampling by remainder would make the lower half of the values twice as
    // likely.
    CounterRandom random(11);
    constexpr std::uint32_t kBound = 2863311531U;
    int low = 0;
    for (int i = 0; i < 10000; ++i) low += random.below(kBound) < kBound / 2 ? 1 : 0;
    EXPECT_NEAR(low, 5000, 200);
}

TEST(CounterRandom, ReturnsZeroForABoundOfOne) {
    CounterRandom random(3);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
}  // namespace ropelab
