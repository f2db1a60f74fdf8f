#include "core/store/output_file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "core/spec/error.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(AtomicFile, TemporaryNamesAreHiddenUniqueAndInTheSameFolder) {
    const auto one = temporary_beside("folder/x.ropelab");
    EXPECT_EQ(one.parent_path(), "folder");
    EXPECT_EQ(one.filename().string().front(), '.');
    EXPECT_NE(one, temporary_beside("folder/x.ropelab"));
    EXPECT_LT(temporary_beside(std::string(255, 'x')).filename().string().size(), 64U)
        << "a name has at most 255 bytes";
}

TEST(AtomicFile, CopiesToNewFilesOnly) {
    const ScratchFolder folder;
    const auto from = folder.write("from", "content");
    copy_file_synced(from, folder.path() / "to");
    EXPECT_EQ(read_file(folder.path() / "to"), "content");
    EXPECT_THROW(copy_file_synced(from, folder.path() / "to"), BadInput);
    EXPECT_THROW(copy_file_synced(folder.path() / "missing", folder.path() / "other"), BadInput);
}

TEST(AtomicFile, AWrongPathIsBadInputAndAFullDiskIsNot) {
    EXPECT_THROW(throw_file_error("x", "written", ENOENT), BadInput);
    EXPECT_THROW(throw_file_error("x", "written", EACCES), BadInput);
    EXPECT_THROW(throw_file_error("x", "written", ENOSPC), WriteError);
    EXPECT_THROW(throw_file_error("x", "written", EPIPE), WriteError);
    EXPECT_MESSAGE((throw_file_error("The folder x", "created", ENOSPC), 0), WriteError,
                   "The folder x cannot be created: No space left on device.");
}

}  // namespace
}  // namespace ropelab
