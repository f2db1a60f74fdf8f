#include <gmock/gmock.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

TEST(EngineVerb, RefusesAFolderWithoutLibTorch) {
    EXPECT_BAD_INPUT(ropelab_cli({"engine", "use", "."}), "contains no LibTorch");
    EXPECT_BAD_INPUT(ropelab_cli({"engine", "fetch"}, "", "HOME= XDG_CACHE_HOME="), "cache folder is unknown");
}

TEST(EngineVerb, DoctorSaysWhatIsWrongWithTheFolderOfLibTorch) {
    const ScratchFolder folder;
    folder.write("ropelab/libtorch", folder.path().string() + "\n");
    const Finished doctor = ropelab_cli({"doctor"}, "", "XDG_CONFIG_HOME=" + folder.path().string());
    EXPECT_EQ(doctor.status, 0) << doctor.err;
    EXPECT_THAT(doctor.out, HasSubstr("missing    The folder '" + folder.path().string() + "' contains no LibTorch"));
}

TEST(EngineVerb, DoctorNeedsNoHome) {
    EXPECT_EQ(ropelab_cli({"doctor"}, "", "HOME= XDG_CACHE_HOME= XDG_CONFIG_HOME=").status, 0);
}

}  // namespace
}  // namespace ropelab
