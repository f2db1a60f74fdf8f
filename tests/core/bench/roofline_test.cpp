#include "core/bench/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/step_cost.h"

namespace ropelab::bench {
namespace {

using ::testing::HasSubstr;

constexpr MachineSpeed machine{1e12, 1e10};

// Returns the point of a step with this many operations and bytes that takes `seconds`.
RooflinePoint point(double operations, double bytes, double seconds, bool rounded = false) {
    return {{operations, 0, bytes}, seconds, rounded};
}

TEST(Roofline, AttainableRateIsLinearThenConstant) {
    EXPECT_DOUBLE_EQ(ridge(machine), 100);
    EXPECT_DOUBLE_EQ(roof(machine, 10), 1e11);
    EXPECT_DOUBLE_EQ(roof(machine, 100), 1e12);
    EXPECT_DOUBLE_EQ(roof(machine, 1e4), 1e12);
}

TEST(Roofline, WorkPerStepFollowsFromTheShape) {
    RunSpec spec;
    const StepWork work = step_work(spec, 29);
    EXPECT_DOUBLE_EQ(work.operations, training_operations(spec, 29));
    EXPECT_DOUBLE_EQ(work.weight_bytes, 13.0 * 4 * static_cast<double>(parameter_count(spec, 29)));
    spec.batch *= 2;
    const StepWork twice = step_work(spec, 29);
    EXPECT_DOUBLE_EQ(twice.activation_bytes, 2 * work.activation_bytes);
    EXPECT_DOUBLE_EQ(twice.weight_bytes, work.weight_bytes);
    EXPECT_GT(twice.intensity(), work.intensity());  // the weights are read once for twice as many tokens
}

TEST(Roofline, ConvertsAMeasuredSpeedToAPoint) {
    const RunSpec spec;
    const auto tokens = static_cast<double>(spec.batch * spec.context);
    const RooflinePoint measured = roofline_point(spec, 29, tokens / 0.02, false);
    EXPECT_NEAR(measured.seconds, 0.02, 1e-12);
    EXPECT_NEAR(measured.reached(), training_operations(spec, 29) / 0.02, 1);
}

TEST(Roofline, SaysWhatLimitsTheStep) {
    EXPECT_EQ(verdict(machine, point(9e11, 1e8, 1)),
              "The step reaches 90 % of this machine's peak float32 performance: "
              "arithmetic limits it.");
    EXPECT_THAT(verdict(machine, point(2e11, 9e9, 1)), HasSubstr("memory bandwidth limits it"));
    EXPECT_THAT(verdict(machine, point(2e11, 9e9, 1)), HasSubstr("20 %"));
    EXPECT_THAT(verdict(machine, point(5e11, 3e9, 1)), HasSubstr("the rest is overhead"));
    EXPECT_THAT(verdict(machine, point(1e11, 1e9, 1)), HasSubstr("many small operations"));
    EXPECT_THAT(verdict(machine, point(1e9, 1e6, 1)), HasSubstr("less than 1 %"));
    EXPECT_THAT(verdict(machine, point(1.4e12, 1e8, 1, true)), HasSubstr("140 %"));
    EXPECT_THAT(verdict(machine, point(1.4e12, 1e8, 1, true)), HasSubstr("bfloat16"));
}

}  // namespace
}  // namespace ropelab::bench
