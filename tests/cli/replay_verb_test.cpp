#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

std::vector<std::string> replay(const std::vector<std::string>& more, const std::string& output = "replay.gif") {
    std::vector<std::string> arguments = {"replay", "logit-share", "--lab", "/none/a.ropelab", "--output", output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Frames themselves are read back in the window's tests; painting needs its program.
TEST(ReplayVerb, RefusesBadInputInOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--width-px", "wide"})), "--width-px takes a number, not \"wide\".");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--width-px", "100"})), "width is 100");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--run", "1.7"})), "run is 1.7, but it must be a whole number");
    EXPECT_BAD_INPUT(ropelab_cli(replay({"--rows", "pairs"})), "layers or heads");
    EXPECT_BAD_INPUT(ropelab_cli(replay({}, "replay.mp4")), "not to \"replay.mp4\"");
    EXPECT_BAD_INPUT(ropelab_cli({"replay", "nonsense", "--lab", "a.ropelab", "--output", "a.gif"}),
                     "no figure \"nonsense\" to replay");
}

}  // namespace
}  // namespace ropelab
