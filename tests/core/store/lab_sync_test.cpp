// A power failure cannot be tested, so this test replaces fsync and checks which files are synced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/store/lab_recorder.h"
#include "tests/core/store/lab_runs.h"

namespace {

std::mutex mutex;
std::vector<std::string> synced;  // paths of the synced files, in order

int noted(int file, long call) {
    std::array<char, 4096> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
    const std::lock_guard lock(mutex);
    synced.emplace_back(name.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return static_cast<int>(::syscall(call, file));
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

}  // namespace
}  // namespace ropelab
