#include "core/store/atomic_file.h"

#include <gtest/gtest.h>

#include <string>

#include "core/spec/error.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

std::span<const std::byte> bytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(AtomicFile, ReplacesAFileAndLeavesNoTemporaryFile) {
    const ScratchFolder folder;
    const auto path = folder.write("a.bin", "something old and longer");
    const std::string one = "one, ";
    const std::string two = "two";
    write_file_atomically(path, {bytes(one), {}, bytes(two)});
    EXPECT_EQ(read_file(path), "one, two");
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, AFailedWriteLeavesTheTargetUnchanged) {
    const ScratchFolder folder;
    const std::string text = "new";
    std::filesystem::create_directories(folder.path() / "target" / "inside");  // a file cannot replace a folder
    EXPECT_THROW(write_file_atomically(folder.path() / "target", {bytes(text)}), BadInput);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "target" / "inside"));
    EXPECT_EQ(files_in(folder.path()), 1U);
    EXPECT_THROW(write_file_atomically(folder.path() / "no folder" / "x", {bytes(text)}), BadInput);
}

TEST(AtomicFile, TemporaryNamesAreHiddenUniqueAndInTheSameFolder) {
    const auto one = temporary_beside("folder/x.ropelab");
    EXPECT_EQ(one.parent_path(), "folder");
    EXPECT_EQ(one.filename().string().front(), '.');
    EXPECT_NE(one, temporary_beside("folder/x.ropelab"));
}

TEST(AtomicFile, CopiesToNewFilesOnly) {
    const ScratchFolder folder;
    const auto from = folder.write("from", "content");
    copy_file_synced(from, folder.path() / "to");
    EXPECT_EQ(read_file(folder.path() / "to"), "content");
    EXPECT_THROW(copy_file_synced(from, folder.path() / "to"), BadInput);
    EXPECT_THROW(copy_file_synced(folder.path() / "missing", folder.path() / "other"), BadInput);
}

}  // namespace
}  // namespace ropelab
