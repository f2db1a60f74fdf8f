#include "core/rope/attention/key_share.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/rope/rotary_setup.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

std::vector<double> shares(const char* setup, double correlation, std::vector<double> distances) {
    const RotarySetup parsed = parse_setups(setup).a;
    return key_shares(sampled_keys(parsed.head_dim, 199, correlation, key_share_samples, 1),
                      frequencies(frequency_settings(parsed)), distances);
}

// numpy 2.4.6, 200,000 samples with default_rng(1); the tolerance is 3.5 standard errors of 4,096 samples.
TEST(KeyShare, OfAMatchingKeyFallsWithTheDistance) {
    const auto ten_k = shares("theta=10k head_dim=64", 1, {0, 10, 100});
    EXPECT_NEAR(ten_k[0], 0.84680, 0.0080);
    EXPECT_NEAR(ten_k[1], 0.39507, 0.0127);
    EXPECT_NEAR(ten_k[2], 0.25392, 0.0103);
    const auto large = shares("theta=500k head_dim=64", 1, {0, 10, 100});
    EXPECT_NEAR(large[0], 0.84763, 0.0080);
    EXPECT_NEAR(large[1], 0.54181, 0.0132);
    EXPECT_NEAR(large[2], 0.37842, 0.0128);
}

// Each of 200 exchangeable keys has the mean 1/200.
TEST(KeyShare, OfARandomKeyDoesNotDependOnTheDistance) {
    for (const double share : shares("theta=10k head_dim=64", 0, {0, 1, 10, 100, 1000}))
        EXPECT_NEAR(share, 0.005, 0.0006);
}

TEST(KeyShare, WithoutRotationDoesNotDependOnTheDistance) {
    const auto none = shares("theta=10k head_dim=64 fraction=0%", 0.5, {0, 100});
    EXPECT_DOUBLE_EQ(none[0], none[1]);
    const auto part = shares("theta=10k head_dim=64 fraction=25%", 1, {0, 100});
    EXPECT_GT(part[1], shares("theta=10k head_dim=64", 1, {100})[0]);
}

TEST(KeyShare, RefusesWhatIsNoSample) {
    EXPECT_MESSAGE(sampled_keys(7, 199, 1, 8, 1), BadInput,
                   "The head dimension is 7, but it must be even and 2 or more.");
    EXPECT_MESSAGE(sampled_keys(8, 0, 1, 8, 1), BadInput,
                   "The number of other keys is 0, but it must be from 1 to 65,536.");
    EXPECT_MESSAGE(sampled_keys(8, 1, 1.5, 8, 1), BadInput,
                   "The correlation of q and k is 1.5, but it must be between −1 and 1.");
}

}  // namespace
}  // namespace ropelab
