#include "core/bench/machine.h"

#include <gtest/gtest.h>

namespace ropelab::bench {
namespace {

TEST(Programs, ReturnsStandardOutput) {
    EXPECT_EQ(output_of({"/bin/sh", {"-c", "echo out; echo err >&2"}, {}}), "out\n");
}

TEST(Programs, EnvironmentVariablesReplaceExistingOnes) {
    setenv("ROPELAB_PROGRAMS_TEST", "old", 1);
    const Command command{"/bin/sh", {"-c", "echo $ROPELAB_PROGRAMS_TEST"}, {{"ROPELAB_PROGRAMS_TEST", "new"}}};
    EXPECT_EQ(output_of(command), "new\n");
    EXPECT_EQ(output_of({command.program, command.arguments, {}}), "old\n");
    unsetenv("ROPELAB_PROGRAMS_TEST");
}

TEST(Programs, ThrowsIfAProgramFails) {
    EXPECT_THROW(output_of({"/bin/false", {}, {}}), std::runtime_error);
    EXPECT_THROW(output_of({"/no/such/program", {}, {}}), std::runtime_error);
    EXPECT_TRUE(beside("no such program").empty());
}

}  // namespace
}  // namespace ropelab::bench
