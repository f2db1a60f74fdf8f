#include "core/machine/libtorch.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/data/scratch.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string wanted() {
    return std::string(libtorch_version().substr(0, libtorch_version().rfind('.')));
}

class FindLibTorch : public testing::Test {
 protected:
    std::filesystem::path library(const std::string& folder) {
        return scratch_.write(folder + "/lib/libtorch_cpu.so", "");
    }
    void version(const std::string& folder, const std::string& number) {
        scratch_.write(folder + "/version.py", "__version__ = '" + number + ".0+cpu'\n");
    }
    std::string path(const std::string& name) const { return (scratch_ / name).string(); }

    ScratchFolder scratch_;
    Environment named_{"ROPELAB_TORCH", nullptr};
    Environment home_{"HOME", scratch_.path().c_str()};
    Environment cache_{"XDG_CACHE_HOME", nullptr};
    Environment configuration_{"XDG_CONFIG_HOME", nullptr};
    Environment conda_{"CONDA_PREFIX", nullptr};
    Environment virtual_{"VIRTUAL_ENV", path("environment").c_str()};
};

TEST_F(FindLibTorch, TheDownloadedOneComesBeforePythonsPackages) {
    EXPECT_EQ(downloaded_libtorch().parent_path(), scratch_ / ".cache/ropelab");
    const std::string downloaded = ".cache/ropelab/" + downloaded_libtorch().filename().string() + "/torch";
    const auto in_environment = library("environment/lib/python3.11/site-packages/torch");
    version("environment/lib/python3.11/site-packages/torch", wanted());
    const auto in_cache = library(downloaded);
    const auto found = find_libtorch().fitting;
    ASSERT_GE(found.size(), 2u);
    EXPECT_EQ(found[0].folder / "lib/libtorch_cpu.so", in_cache);
    EXPECT_EQ(found[1].folder / "lib/libtorch_cpu.so", in_environment);
}

TEST_F(FindLibTorch, ANamedFolderIsTheOnlyOne) {
    library("environment/lib/python3.11/site-packages/torch");
    library("own");
    const Environment named("ROPELAB_TORCH", path("own").c_str());
    const auto found = find_libtorch().fitting;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].folder, scratch_ / "own");
}

TEST_F(FindLibTorch, AnotherVersionIsNotUsedAndNamed) {
    library("own/torch");
    version("own/torch", "1.13");
    const Environment named("ROPELAB_TORCH", path("own").c_str());
    EXPECT_THAT(find_libtorch().fitting, IsEmpty());
    EXPECT_THAT(find_libtorch().others, HasSubstr("own/torch has version 1.13"));
    scratch_.write("own/torch/include/torch/headeronly/version.h",
                   "#define TORCH_VERSION_MAJOR " + wanted().substr(0, wanted().find('.')) +
                       "\n#define TORCH_VERSION_MINOR " + wanted().substr(wanted().find('.') + 1) + "\n");
    EXPECT_EQ(find_libtorch().fitting.size(), 1u);
}

// The dynamic loader would end the program. This test's program stands for a library.
TEST_F(FindLibTorch, ALibraryWithoutItsEndIsNotLoadedAndNamed) {
    const auto file = library("own");
    version("own", wanted());
    const Environment named("ROPELAB_TORCH", path("own").c_str());
    std::filesystem::copy_file("/proc/self/exe", file, std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(find_libtorch().fitting.size(), 1u) << "a whole library";
    EXPECT_EQ(libtorch_in(path("own")).version, wanted());
    const auto size = std::filesystem::file_size(file);
    for (const auto left : {size - 1, size / 2, std::uintmax_t{100}, std::uintmax_t{20}}) {
        std::filesystem::resize_file(file, left);
        EXPECT_THAT(find_libtorch().fitting, IsEmpty()) << left;
        EXPECT_THAT(find_libtorch().others, HasSubstr("own, the end of the library libtorch_cpu.so is missing"));
        EXPECT_MESSAGE(libtorch_in(path("own")), BadInput, "the end of the library libtorch_cpu.so is missing");
    }
}

TEST_F(FindLibTorch, WithoutHomeNothingIsDownloaded) {
    const Environment home("HOME", nullptr);
    EXPECT_EQ(downloaded_libtorch(), std::filesystem::path());
    library("environment/lib/python3.11/site-packages/torch");
    EXPECT_FALSE(find_libtorch().fitting.empty());
}

}  // namespace
}  // namespace ropelab
