#include "core/engine/device/amx_guard.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

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

}  // namespace
}  // namespace ropelab
