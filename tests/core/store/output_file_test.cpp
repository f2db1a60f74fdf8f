#include "core/store/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

std::vector<std::span<const std::byte>> parts_of(const std::string& text) {
    return {std::as_bytes(std::span(text)).first(text.size() / 2),
            {},
            std::as_bytes(std::span(text)).subspan(text.size() / 2)};
}

mode_t mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status.st_mode;
}

/// Folder on a file system of its own with room for `bytes`. `mounted` is false where mounting is not possible.
class SmallDisk {
 public:
    explicit SmallDisk(int bytes)
        : mounted(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) ==
                  0) {}
    ~SmallDisk() {
        if (mounted) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    const fs::path& path() const { return folder_.path(); }

 private:
    ScratchFolder folder_;

 public:
    const bool mounted;
};

TEST(OutputFile, ReplacesAFileAndLeavesNoTemporaryFile) {
    const ScratchFolder folder;
    const auto path = folder.write("a.bin", "something old and longer");
    write_output(path, parts_of("one, two"));
    EXPECT_EQ(read_file(path), "one, two");
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, AFileHasItsNameOnlyWhenItIsComplete) {
    const ScratchFolder folder;
    const auto path = folder.write("a", "old");
    {
        OutputFile output(path);
        output.write(parts_of("new").back());
        EXPECT_EQ(read_file(path), "old");
    }
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files_in(folder.path()), 1U);
    OutputFile output(path);
    output.write(parts_of("new").back());
    output.commit();
    EXPECT_EQ(read_file(path), "ew");
}

TEST(OutputFile, AWrongNameIsBadInput) {
    const ScratchFolder folder;
    fs::create_directories(folder / "target" / "inside");
    EXPECT_MESSAGE((write_output(folder / "target", "x"), 0), BadInput, "target cannot be written: Is a directory.");
    EXPECT_TRUE(fs::exists(folder / "target" / "inside"));
    EXPECT_MESSAGE((write_output(folder / "no folder" / "x", "x"), 0), BadInput,
                   "x cannot be written: No such file or directory.");
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, AFileKeepsItsPermissions) {
    const ScratchFolder folder;
    const auto path = folder.write("a", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    write_output(path, "new");
    EXPECT_EQ(mode_of(path) & 07777U, 0640U);
    if (::geteuid() == 0) return;  // root may write every file
    ASSERT_EQ(::chmod(path.c_str(), 0440), 0);
    EXPECT_MESSAGE((write_output(path, "newer"), 0), BadInput, "Permission denied");
    EXPECT_EQ(read_file(path), "new");
}

TEST(OutputFile, ALinkStaysALink) {
    const ScratchFolder folder;
    folder.write("inside/real", "old");
    fs::create_symlink("inside/real", folder / "link");
    fs::create_symlink("link", folder / "second");
    fs::create_symlink("inside/not yet", folder / "dangling");
    write_output(folder / "second", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(fs::is_symlink(folder / "second"));
    EXPECT_EQ(read_file(folder / "inside/real"), "new");
    write_output(folder / "dangling", "made");
    EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
    EXPECT_EQ(read_file(folder / "inside/not yet"), "made");
    EXPECT_EQ(files_in(folder / "inside"), 2U);
    fs::create_symlink("circle", folder / "circle");
    EXPECT_MESSAGE((write_output(folder / "circle", "x"), 0), BadInput, "symbolic links");
}

TEST(OutputFile, AFifoGetsTheBytesAndStaysAFifo) {
    const ScratchFolder folder;
    const fs::path fifo = folder / "fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_FALSE(would_replace(fifo));
    auto reader = std::async(std::launch::async, [&] { return read_file(fifo); });
    write_output(fifo, parts_of("through the pipe"));
    EXPECT_EQ(reader.get(), "through the pipe");
    EXPECT_TRUE(S_ISFIFO(mode_of(fifo)));
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, AClosedPipeIsAWriteError) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    EXPECT_MESSAGE((write_output("/dev/fd/" + std::to_string(ends[1]), "x"), 0), WriteError, "Broken pipe");
    std::signal(SIGPIPE, before);
    ::close(ends[1]);
}

TEST(OutputFile, AnOpenDescriptorIsWrittenAndNotReplaced) {
    const ScratchFolder folder;
    const fs::path path = folder / "redirected";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(::write(file, "before ", 7), 7);
    write_output("/dev/fd/" + std::to_string(file), "inside ");
    ASSERT_EQ(::write(file, "after", 5), 5);
    ::close(file);
    EXPECT_EQ(read_file(path), "before inside after");
}

TEST(OutputFile, DevicesAreWrittenAndNotReplaced) {
    EXPECT_MESSAGE((write_output("/dev/full", "x"), 0), WriteError,
                   "/dev/full cannot be written: No space left on device.");
    const ScratchFolder folder;
    fs::create_symlink("/dev/full", folder / "link");
    EXPECT_MESSAGE((write_output(folder / "link", "x"), 0), WriteError, "No space left on device");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));

    const fs::path node = folder / "node";
    if (::mknod(node.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) GTEST_SKIP() << "Only root can make a device node.";
    const int opened = ::open(node.c_str(), O_WRONLY);
    if (opened < 0) GTEST_SKIP() << "Device nodes in this folder cannot be opened.";
    ::close(opened);
    write_output(node, "into the null device");
    EXPECT_TRUE(S_ISCHR(mode_of(node)));
    EXPECT_FALSE(would_replace(node));
}

TEST(OutputFile, AnErrorOfClosingIsReported) {
    const int input = ::dup(STDIN_FILENO);
    ::close(STDIN_FILENO);
    OutputFile output("/dev/null");  // gets the number that is free, 0
    ::close(STDIN_FILENO);           // so that closing it fails, as on a disk that writes late
    EXPECT_MESSAGE((output.commit(), 0), WriteError, "/dev/null cannot be written: Bad file descriptor.");
    ::dup2(input, STDIN_FILENO);
    ::close(input);
}

TEST(OutputFile, AFullDiskLeavesTheOldFile) {
    const SmallDisk disk(64 * 1024);
    if (!disk.mounted) GTEST_SKIP() << "Mounting a small file system requires root.";
    const fs::path path = disk.path() / "a";
    write_output(path, "old");
    const std::string large(1 << 20, 'x');
    EXPECT_MESSAGE((write_output(path, large), 0), WriteError, "a cannot be written: No space left on device.");
    EXPECT_EQ(read_file(path), "old");
    EXPECT_MESSAGE((write_output(disk.path() / "b", large), 0), WriteError, "No space left on device");
    EXPECT_EQ(files_in(disk.path()), 1U);
}

TEST(OutputFile, NamesOfStandardOutput) {
    const ScratchFolder folder;
    fs::create_symlink("/dev/stdout", folder / "link");
    for (const fs::path& path : {fs::path("-"), fs::path("/dev/stdout"), folder / "link"}) {
        EXPECT_TRUE(is_standard_output(path)) << path;
        EXPECT_FALSE(would_replace(path)) << path;
    }
    EXPECT_FALSE(is_standard_output("-.csv"));
    EXPECT_FALSE(is_standard_output("/dev/stderr"));
    EXPECT_FALSE(is_standard_output(folder / "none"));
    EXPECT_FALSE(would_replace(folder / "none"));
    EXPECT_TRUE(would_replace(folder.write("file", "")));
}

}  // namespace
}  // namespace ropelab
