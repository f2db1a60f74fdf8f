#include "core/bench/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/bench/machine.h"
#include "core/plan/step_cost.h"

namespace ropelab::bench {

namespace {

TEST(MachineSpeed, MeasuredProductIsCorrect) {
    const auto rows = static_cast<std::size_t>(SmallProduct::rows());
    constexpr std::size_t columns = SmallProduct::columns;
    constexpr std::size_t depth = SmallProduct::depth;
    // The factors are small integers, so that every sum is exact.
    std::vector<float> a(depth * rows);
    std::vector<float> b(depth * columns);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    std::vector<float> c(rows * columns, 1.0F);
    SmallProduct::multiply(a.data(), b.data(), c.data());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            float sum = 1;
            for (std::size_t k = 0; k < depth; ++k) sum += a[k * rows + row] * b[k * columns + column];
            EXPECT_EQ(c[row * columns + column], sum) << row << ' ' << column;
        }
    }
}

TEST(MachineSpeed, IsKnownOnceMeasured) {
    EXPECT_FALSE(MachineSpeed{}.known());
    EXPECT_TRUE(measure_machine(1).known());
}

TEST(Machine, ReportsCoresMemoryAndDate) {
    const Machine machine = this_machine();
    EXPECT_GT(machine.cores, 0);
    EXPECT_GT(machine.memory_bytes, 1 << 20);
    EXPECT_FALSE(machine.processor.empty());
    const std::string day = today();
    ASSERT_EQ(day.size(), 10U);
    EXPECT_EQ(day[4], '-');
    EXPECT_EQ(day[7], '-');
}

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
              "A training step reaches 90 % of this machine's peak float32 performance: arithmetic limits it.");
    EXPECT_THAT(verdict(machine, point(2e11, 9e9, 1)), HasSubstr("memory bandwidth limits it"));
    EXPECT_THAT(verdict(machine, point(2e11, 9e9, 1)), HasSubstr("20 %"));
    EXPECT_THAT(verdict(machine, point(5e11, 3e9, 1)), HasSubstr("the rest is overhead"));
    EXPECT_THAT(verdict(machine, point(1e11, 1e9, 1)), HasSubstr("many small operations"));
    EXPECT_THAT(verdict(machine, point(1e9, 1e6, 1)), HasSubstr("less than 1 %"));
    EXPECT_EQ(verdict(machine, point(1.4e12, 1e8, 1, true)),
              "A training step reaches 140 % of this machine's peak float32 performance, although its matrix products "
              "use bfloat16, whose peak is not measured.");
}

// On a processor with AMX, bfloat16 products are several times as fast.
TEST(Roofline, ComparesEachPrecisionWithItsOwnPeak) {
    constexpr MachineSpeed with_amx{1e12, 1e10, 8e12};
    EXPECT_EQ(with_amx.peak(false), 1e12);
    EXPECT_EQ(with_amx.peak(true), 8e12);
    EXPECT_DOUBLE_EQ(ridge(with_amx), 100);
    EXPECT_DOUBLE_EQ(ridge(with_amx, true), 800);
    EXPECT_DOUBLE_EQ(roof(with_amx, 400, true), 4e12);
    EXPECT_DOUBLE_EQ(roof(with_amx, 1e4, true), 8e12);
    EXPECT_EQ(
        verdict(with_amx, point(7.2e11, 1e9, 1, true)),
        "A training step reaches 9 % of this machine's peak bfloat16 performance; memory traffic takes up to 10 % "
        "of its time; the rest is the overhead of many small operations, which a larger batch size or width "
        "reduces.");
    EXPECT_THAT(verdict(with_amx, point(7.2e11, 1e9, 1)), HasSubstr("72 % of this machine's peak float32"));
}

}  // namespace

}  // namespace ropelab::bench
