#include "core/engine/train/precision.h"

#include <gtest/gtest.h>

#include "core/spec/processor.h"

namespace ropelab {
namespace {

// Returns the precision if a pass takes `ratio` times as long in float32 as in bfloat16.
SettledPrecision settled(double ratio) {
    return faster_precision([&](Precision precision) { return precision == Precision::float32 ? ratio : 1.0; });
}

TEST(FasterPrecision, SelectsBfloat16IfClearlyFaster) {
    if (!processor_multiplies_bfloat16()) GTEST_SKIP() << "This processor does not multiply bfloat16.";
    EXPECT_EQ(settled(1.905).precision, Precision::bfloat16);
    EXPECT_EQ(settled(1.905).reason, "1.91 × as fast as float32 on this machine.");
    EXPECT_EQ(settled(1.2).precision, Precision::bfloat16);
    EXPECT_EQ(settled(1.19).precision, Precision::float32);
    EXPECT_EQ(settled(1.19).reason, "bfloat16 is only 1.19 × as fast on this machine.");
    EXPECT_EQ(settled(0.5).precision, Precision::float32);
    EXPECT_EQ(settled(0.5).reason, "2 × as fast as bfloat16 on this machine.");
}

TEST(FasterPrecision, MeasuresNothingWithoutBfloat16Products) {
    if (processor_multiplies_bfloat16()) GTEST_SKIP() << "This processor multiplies bfloat16.";
    const SettledPrecision result = faster_precision([](Precision) -> double { throw std::logic_error("timed"); });
    EXPECT_EQ(result.precision, Precision::float32);
    EXPECT_EQ(result.reason, "this processor has no bfloat16 products.");
}

}  // namespace
}  // namespace ropelab
