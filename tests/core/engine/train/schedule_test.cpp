#include "core/engine/train/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/tiny.h"

namespace ropelab {
namespace {

// nanoGPT's get_lr at its CPU setting: warm-up 100, decay over 2,000 from 1e-3 to 1e-4.
TEST(Schedule, FollowsNanoGpt) {
    RunSpec spec;
    spec.learning_rate = 1e-3;
    spec.final_learning_rate = 1e-4;
    spec.warmup = 100;
    spec.iterations = 2000;
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 0), 1e-3 * 1 / 101);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 99), 1e-3 * 100 / 101);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 100), 1e-3);
    EXPECT_NEAR(learning_rate_at(spec, 1050), 5.5e-4, 1e-12);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 2000), 1e-4);
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 9999), 1e-4);
    spec.decay_iterations = 1000;
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 1500), 1e-4);
}

TEST(Schedule, StartsAtThePeakWithoutWarmUp) {
    RunSpec spec;
    spec.warmup = 0;
    EXPECT_DOUBLE_EQ(learning_rate_at(spec, 0), spec.learning_rate);
}

TEST(Schedule, ThetaChangesInEqualStepsOrByEqualFactors) {
    RunSpec spec;
    spec.theta = 100;
    spec.theta_end = 10000;
    spec.iterations = 200;
    EXPECT_EQ(theta_at(spec, 100), 100);
    spec.theta_schedule = ThetaSchedule::linear;
    EXPECT_DOUBLE_EQ(theta_at(spec, 50), 2575);
    spec.theta_schedule = ThetaSchedule::geometric;
    EXPECT_DOUBLE_EQ(theta_at(spec, 0), 100);
    EXPECT_DOUBLE_EQ(theta_at(spec, 100), 1000);
    EXPECT_DOUBLE_EQ(theta_at(spec, 200), 10000);
    EXPECT_DOUBLE_EQ(theta_at(spec, 300), 10000);
}

TEST(Batches, RandomOffsetsDependOnSeedAndStepAndFit) {
    RunSpec spec = tiny_spec();
    const auto first = batch_starts(spec, 100, 0);
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first, batch_starts(spec, 100, 0));
    EXPECT_NE(first, batch_starts(spec, 100, 1));
    RunSpec other = spec;
    other.theta = 500;
    other.fraction = 0.25;
    EXPECT_EQ(first, batch_starts(other, 100, 0));  // runs of equal seeds are compared in pairs
    other.seed = 2;
    EXPECT_NE(first, batch_starts(other, 100, 0));

    std::int64_t least = 1000;
    std::int64_t most = 0;
    for (std::int64_t step = 0; step < 2000; ++step) {
        for (std::int64_t start : batch_starts(spec, 100, step)) {
            least = std::min(least, start);
            most = std::max(most, start);
        }
    }
    EXPECT_EQ(least, 0);
    EXPECT_EQ(most, 83);  // 83 + 16 inputs, the last target at 99
}

TEST(Batches, SequentialOffsetsAreEqualForEverySeed) {
    RunSpec spec = tiny_spec();
    spec.batches = BatchOrder::sequential;
    EXPECT_EQ(batch_starts(spec, 100, 0), (std::vector<std::int64_t>{0, 16, 32, 48}));
    EXPECT_EQ(batch_starts(spec, 100, 1), (std::vector<std::int64_t>{64, 80, 0, 16}));
    spec.seed = 9;
    EXPECT_EQ(batch_starts(spec, 100, 0), (std::vector<std::int64_t>{0, 16, 32, 48}));
}

TEST(Batches, SpacedOffsetsCoverTheTextEvenly) {
    RunSpec spec = tiny_spec();  // 2 × 4 sequences
    const auto starts = spaced_starts(spec, 16 * 80 + 1);
    ASSERT_EQ(starts.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(starts[i], static_cast<std::int64_t>(i) * 160);
    EXPECT_EQ(spaced_starts(spec, 40).size(), 2U);  // not more than the text has
}

}  // namespace
}  // namespace ropelab
