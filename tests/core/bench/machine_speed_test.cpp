#include "core/bench/machine_speed.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/bench/machine.h"

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

}  // namespace
}  // namespace ropelab::bench
