#include "core/engine/device/processor_setup.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/base/processor.h"

namespace ropelab {
namespace {

TEST(AmxGuard, DetectsAnnouncedTilesWithoutDescription) {
    constexpr std::uint32_t announced = 1U << 24;
    constexpr std::uint32_t described = (1024U << 16) | 8192U;  // 8 tiles of 1,024 bytes
    EXPECT_TRUE(is_amx_broken(announced, 0));
    EXPECT_FALSE(is_amx_broken(announced, described));
    EXPECT_FALSE(is_amx_broken(0, 0));
    EXPECT_FALSE(is_amx_broken(~announced, 0));
}

TEST(AmxGuard, KeepsTheUsersLimit) {
    constexpr const char* limit = "ONEDNN_MAX_CPU_ISA";
    const char* before = std::getenv(limit);
    const std::string value = before ? before : "";
    setenv(limit, "AVX2", 1);
    avoid_broken_amx();
    EXPECT_STREQ(std::getenv(limit), "AVX2");
    if (before) {
        setenv(limit, value.c_str(), 1);
    } else {
        unsetenv(limit);
    }
}

// Returns the precision if a pass takes `ratio` times as long in float32 as in bfloat16.
SettledPrecision settled(double ratio) {
    return faster_precision("", [&](Precision precision) { return precision == Precision::float32 ? ratio : 1.0; });
}

TEST(FasterPrecision, SelectsBfloat16IfClearlyFaster) {
    EXPECT_EQ(settled(1.905).precision, Precision::bfloat16);
    EXPECT_EQ(settled(1.905).reason, "1.91 × as fast as float32 on this machine.");
    EXPECT_EQ(settled(1.2).precision, Precision::bfloat16);
    EXPECT_EQ(settled(1.19).precision, Precision::float32);
    EXPECT_EQ(settled(1.19).reason, "bfloat16 is only 1.19 × as fast as float32 on this machine.");
    EXPECT_EQ(settled(0.5).precision, Precision::float32);
    EXPECT_EQ(settled(0.5).reason, "2 × as fast as bfloat16 on this machine.");
}

TEST(FasterPrecision, MeasuresNothingWithoutBfloat16Products) {
    const std::string obstacle = "this processor cannot multiply matrices in bfloat16.";
    EXPECT_EQ(bfloat16_obstacle(), processor_multiplies_bfloat16() ? "" : obstacle);
    const SettledPrecision result =
        faster_precision(obstacle, [](Precision) -> double { throw std::logic_error("timed"); });
    EXPECT_EQ(result.precision, Precision::float32);
    EXPECT_EQ(result.reason, obstacle);
}

}  // namespace
}  // namespace ropelab
