#include "core/store/output_file.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ropelab {
namespace {

TEST(TemporaryFolder, IsRemovedWithItsFiles) {
    std::filesystem::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        std::ofstream(path / "file") << "text";
        EXPECT_TRUE(std::filesystem::exists(path / "file"));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ropelab
