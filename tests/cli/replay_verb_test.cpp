#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

std::vector<std::string> replay(const std::vector<std::string>& more, const std::string& output = "replay.gif") {
    std::vector<std::string> arguments = {"replay",          "logit-contribution", "--lab",
                                          "/none/a.ropelab", "--output",           output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// The frames are tested with the window program, which draws them.
TEST(ReplayVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--width-px", "wide"})), "--width-px requires a number, not \"wide\".");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--width-px", "100"})), "width is 100");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--run", "1.7"})), "run is 1.7, but it must be a whole number");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--rows", "pairs"})), "layers, heads, all-heads or sorted");
    EXPECT_BAD_INPUT(ropelab_cli(replay({}, "replay.mp4")), "but it is \"replay.mp4\"");
    EXPECT_BAD_INPUT(ropelab_cli({"replay", "a", "b", "c", "--lab", "a.ropelab", "--output", "a.gif"}),
                     "shows one or two figures, but the command names 3");
    EXPECT_BAD_INPUT(ropelab_cli({"replay", "nonsense", "--lab", "a.ropelab", "--output", "a.gif"}),
                     "no figure \"nonsense\" to replay");
}

}  // namespace
}  // namespace ropelab
