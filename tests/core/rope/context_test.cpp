#include "core/rope/context.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(CompletePairs, MatchTheReferenceValues) {  // 19, 14 and 18 pairs have λ > L
    EXPECT_EQ(complete_pairs(frequencies({.head_dim = 64}), 256), 32 - 19);
    EXPECT_EQ(complete_pairs(frequencies({.head_dim = 64}), 1024), 32 - 14);
    EXPECT_EQ(complete_pairs(frequencies({.head_dim = 128}), 4096), 64 - 18);
    EXPECT_EQ(complete_pairs(frequencies({}), 6), 0);
    EXPECT_EQ(complete_pairs(frequencies({}), 7), 1);
    EXPECT_EQ(complete_pairs(frequencies({.fraction = 0.25, .partial = Partial::truncate}), 1e9), 8);
}

TEST(CriticalDimension, MatchesTheReferenceValues) {    // formula 14
    EXPECT_EQ(critical_dimension(128, 1e4, 4096), 92);  // Llama-2
    EXPECT_EQ(critical_dimension(128, 1e4, 2048), 82);  // Llama-1
    EXPECT_EQ(critical_dimension(128, 5e5, 8192), 70);  // Llama-3
    EXPECT_EQ(critical_dimension(64, 1e4, 256), 26);
    EXPECT_EQ(critical_dimension(64, 500, 256), 40);
    EXPECT_EQ(critical_dimension(64, 5e4, 256), 22);
}

TEST(CriticalDimension, IsBetweenZeroAndTheHeadDimension) {
    EXPECT_EQ(critical_dimension(64, 1e4, 5), 0);
    EXPECT_EQ(critical_dimension(64, 2, 1e9), 64);
}

TEST(CriticalDimension, IsTwiceTheNumberOfCompletePairs) {
    for (double theta : {500.0, 1e4, 5e5}) {
        for (double context : {100.0, 256.0, 4096.0}) {
            const int pairs = complete_pairs(frequencies({.head_dim = 128, .theta = theta}), context);
            EXPECT_EQ(critical_dimension(128, theta, context), 2 * pairs);
        }
    }
}

TEST(CriticalBase, EqualsTheBaseAtTheTrainingContext) {  // formula 15
    EXPECT_NEAR(critical_base(1e4, 4096, 4096), 1e4, 1e-6);
    EXPECT_NEAR(critical_base(1e4, 4096, 16384),
                std::pow(1e4, std::log(16384 / 2 / std::numbers::pi) / std::log(4096 / 2 / std::numbers::pi)), 1e-6);
    EXPECT_GT(critical_base(1e4, 4096, 16384), 1e4);
}

TEST(ExtrapolationLimit, IsThePeriodOfTheFirstUntrainedPair) {  // Llama 2 at β = b; computed with Python
    const std::vector<double> periods = wavelengths(frequencies({.head_dim = 128}));
    EXPECT_NEAR(extrapolation_limit(128, 92, 1e4), 4711.724278, 1e-5);
    EXPECT_NEAR(periods[46], 4711.724278, 1e-5);
    EXPECT_NEAR(periods[45], 4080.185126, 1e-5);  // the slowest trained pair
}

TEST(ExtrapolationLimit, GrowsWithTheBase) {  // formula 15
    EXPECT_NEAR(extrapolation_limit(128, 92, 1e4), 2 * std::numbers::pi * std::pow(1e4, 92.0 / 128), 1e-6);
    // The critical dimension 92 is 2⌈45.04⌉. Rounding it up to whole pairs makes the limit slightly longer than the
    // context.
    EXPECT_GT(extrapolation_limit(128, 92, 1e4), 4096);
    EXPECT_NEAR(extrapolation_limit(128, 0, 1e6), 2 * std::numbers::pi, 1e-12);
}

TEST(Context, ThrowsForInvalidArguments) {
    EXPECT_MESSAGE(critical_dimension(0, 1e4, 256), BadInput, "dimension is 0");
    EXPECT_MESSAGE(critical_dimension(64, 1, 256), BadInput, "above 1");
    EXPECT_MESSAGE(critical_base(1e4, 6, 256), BadInput, "training context is 6");
    EXPECT_MESSAGE(critical_base(1e4, 256, std::nan("")), BadInput, "tuned context");
    EXPECT_MESSAGE(extrapolation_limit(128, 130, 1e4), BadInput, "130");
}

TEST(BaseScan, HasARoundStepThatTakesSeconds) {
    const BaseScan scan = base_scan(1024, 64, 1e6);  // 1e6 · 1024 · 32 / 2e9 = 16.4
    EXPECT_EQ(scan.low, 100);
    EXPECT_EQ(scan.high, 1e6);
    EXPECT_EQ(scan.step, 20);
    EXPECT_EQ(base_scan(131072, 128, 1e6).step, 5000);
    EXPECT_EQ(base_scan(131072, 128, 1e6).low, 5000);
    EXPECT_EQ(base_scan(1024, 64, 1e6, 300).low, 300);
    EXPECT_EQ(base_scan(16, 8, 50).low, 50);
    EXPECT_EQ(base_scan(16, 8, 50).step, 1);
}

}  // namespace
}  // namespace ropelab
