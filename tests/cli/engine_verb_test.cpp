#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(EngineVerb, RefusesAFolderWithoutLibTorch) {
    EXPECT_BAD_INPUT(ropelab_cli({"engine", "use", "."}), "contains no LibTorch");
    EXPECT_BAD_INPUT(ropelab_cli({"engine", "fetch"}, "", "HOME= XDG_CACHE_HOME="), "cache folder is unknown");
}

TEST(EngineVerb, DoctorNeedsNoHome) {
    EXPECT_EQ(ropelab_cli({"doctor"}, "", "HOME= XDG_CACHE_HOME= XDG_CONFIG_HOME=").status, 0);
}

}  // namespace
}  // namespace ropelab
