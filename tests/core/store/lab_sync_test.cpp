// A power failure cannot be tested, so this test replaces fsync and checks which files are synced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/store/lab_recorder.h"
#include "core/store/output_file.h"
#include "tests/core/store/lab_runs.h"

namespace {

std::mutex mutex;
std::vector<std::string> synced;  // paths of the synced files, in order
int failure = 0;                  // value of errno with which syncing fails; 0: it succeeds

int noted(int file, long call) {
    std::array<char, 4096> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
    const std::lock_guard lock(mutex);
    synced.emplace_back(name.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (failure == 0) return static_cast<int>(::syscall(call, file));
    errno = failure;
    return -1;
}

}  // namespace

// These functions replace those of the C library, also for the libraries that this program uses.
extern "C" int fsync(int file) {
    return noted(file, SYS_fsync);
}
extern "C" int fdatasync(int file) {
    return noted(file, SYS_fdatasync);
}

namespace ropelab {
namespace {

std::vector<std::string> take_synced() {
    const std::lock_guard lock(mutex);
    return std::exchange(synced, {});
}

TEST(LabSync, FlushSyncsTheDisk) {
    const ScratchFolder folder;
    const auto path = folder.path() / "x.ropelab";
    const auto lab = lab_with_runs(path, 1);
    LabRecorder recorder(path);
    recorder.record(step(1, 1));
    ASSERT_TRUE(recorder.flush());
    take_synced();
    for (std::int64_t i = 2; i <= 5; ++i) {
        recorder.record(step(1, i));
        ASSERT_TRUE(recorder.flush());
        EXPECT_THAT(take_synced(), testing::Contains(path.string() + "-wal")) << i;
    }
    // Events that were written in the background before the flush are synced too.
    recorder.record(step(1, 6));
    while (lab->run(1).iteration < 6) std::this_thread::yield();
    ASSERT_TRUE(recorder.flush());
    EXPECT_THAT(take_synced(), testing::Contains(path.string() + "-wal"));
    ASSERT_TRUE(recorder.flush());
    EXPECT_TRUE(take_synced().empty()) << "there are no new events";
}

void fail_syncing(int error) {
    const std::lock_guard lock(mutex);
    failure = error;
}

// A file has its name only once its content is on the disk, and then the name is put on the disk too.
TEST(LabSync, OutputIsSyncedBeforeItsName) {
    const ScratchFolder folder;
    take_synced();
    write_output(folder / "a.txt", "new");
    const std::vector<std::string> files = take_synced();
    ASSERT_EQ(files.size(), 2U);
    EXPECT_TRUE(files[0].ends_with(".part") || files[0].ends_with("a.txt")) << files[0];
    EXPECT_EQ(files[1], folder.path());
}

TEST(LabSync, AContentThatDoesNotReachTheDiskReplacesNothing) {
    const ScratchFolder folder;
    const auto path = folder.write("a.txt", "old");
    fail_syncing(EIO);
    EXPECT_THROW(write_output(path, "new"), WriteError);
    EXPECT_THROW(sync(folder.path()), WriteError);
    fail_syncing(EINVAL);
    EXPECT_NO_THROW(sync(folder.path())) << "some file systems cannot sync a folder";
    fail_syncing(0);
    EXPECT_NO_THROW(sync(folder.path()));
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files_in(folder.path()), 1U) << "nothing of the new content is left";
}

}  // namespace
}  // namespace ropelab
