#include "core/store/output_file.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/store/process_mark.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(AtomicFile, TemporaryNamesAreHiddenUniqueAndInTheSameFolder) {
    const auto one = temporary_beside("folder/x.ropelab");
    EXPECT_EQ(one.parent_path(), "folder");
    EXPECT_EQ(one.filename().string().front(), '.');
    EXPECT_NE(one, temporary_beside("folder/x.ropelab"));
    EXPECT_LT(temporary_beside(std::string(255, 'x')).filename().string().size(), 128U)
        << "a name has at most 255 bytes";
}

TEST(AtomicFile, RemovesWhatKilledProgramsLeft) {
    const ScratchFolder folder;
    const pid_t ended = ::fork();
    if (ended == 0) ::_exit(0);
    ::waitpid(ended, nullptr, 0);
    const auto name = [](const std::string& host, pid_t process, const char* end) {
        return ".ropelab-" + host + "-" + std::to_string(process) + "-0" + end;
    };
    for (const char* end : {".part", ".part-wal"}) folder.write(name(host_name(), ended, end), "left");
    std::filesystem::create_directory(folder / name(host_name(), ended, ".part.d"));
    const auto alive = folder.write(name(host_name(), ::getppid(), ".part"), "in use");
    const auto elsewhere = folder.write(name("other" + host_name(), ended, ".part"), "perhaps in use");
    const auto own = folder.write("x.part", "the user's");
    write_output(folder / "y", "text");
    EXPECT_EQ(files_in(folder.path()), 4U);
    for (const auto& kept : {alive, elsewhere, own}) EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
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
