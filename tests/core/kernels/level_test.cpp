#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "core/kernels/kernels.h"

namespace ropelab::kernels {
namespace {

std::string_view processors_level() {
#if defined(__x86_64__) && defined(__linux__)
    if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
    if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
    return "any processor";
}

bool is_below(std::string_view level) {
    return level != "any processor" && level > processors_level();
}

// Unsupported instructions would terminate the program, so the tests are skipped first.
class SkipBelow : public testing::Environment {
 public:
    void SetUp() override {
        if (is_below(level())) GTEST_SKIP() << "This processor does not support the level " << level() << ".";
    }
};
[[maybe_unused]] const testing::Environment* const skip_below = testing::AddGlobalTestEnvironment(new SkipBelow);

TEST(Level, IsTheHighestThatTheProcessorSupports) {
    const char* given = std::getenv("LD_PRELOAD");  // CTest sets it to test each level
    const std::string_view library = given ? given : "";
    const bool is_of_a_level = library.find("glibc-hwcaps") != library.npos;
    if (library.empty()) {
        EXPECT_EQ(level(), processors_level());
    } else if (is_of_a_level) {
        EXPECT_NE(library.find(level()), library.npos) << level();
    } else {
        EXPECT_EQ(level(), "any processor");
    }
}

}  // namespace
}  // namespace ropelab::kernels
