#include "core/data/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "tests/core/data/scratch.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

using ::testing::HasSubstr;

TEST(ReadFile, ReadsWholeFilesAndRefusesWhatIsNone) {
    const ScratchFolder folder;
    const std::string text = std::string(200'000, 'x') + '\0' + "end";
    folder.write("text", text);
    folder.write("empty", "");
    EXPECT_EQ(read_regular_file(folder / "text", 200'004), text);
    EXPECT_EQ(read_regular_file(folder / "empty", 0), "");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_regular_file(folder / "text", 100'000), BadInput),
                HasSubstr("has 0.2 MB, but at most 0.1 MB are read here"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(read_regular_file(folder / "none", 9), BadInput), HasSubstr("No such file"));
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const std::filesystem::path& file : {folder / "pipe", folder.path(), std::filesystem::path("/dev/zero")}) {
        EXPECT_THAT(ROPELAB_SENTENCE_OF(read_regular_file(file, 9), BadInput), HasSubstr("it is not a file"));
    }
}

}  // namespace
}  // namespace ropelab
