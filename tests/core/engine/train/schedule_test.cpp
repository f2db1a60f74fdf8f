#include "core/engine/train/schedule.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ropelab
