#include "core/store/process_mark.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace ropelab {
namespace {

TEST(ProcessMark, ThisProcessIsNotAnotherLiveProcess) {
    EXPECT_EQ(process_mark(), process_mark());
    EXPECT_FALSE(is_other_live_process(process_mark()));
}

TEST(ProcessMark, AnotherProcessIsAliveUntilItEnds) {
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(::pipe(pipe_ends.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child process never outlives this test
        const std::string mark = process_mark();
        if (::write(pipe_ends[1], mark.data(), mark.size()) < 0) ::_exit(1);
        while (true) ::pause();
    }
    std::array<char, 400> buffer{};
    const ssize_t size = ::read(pipe_ends[0], buffer.data(), buffer.size());
    ASSERT_GT(size, 0);
    const std::string mark(buffer.data(), static_cast<std::size_t>(size));
    EXPECT_TRUE(is_other_live_process(mark));
    EXPECT_FALSE(is_other_live_process(mark + "1")) << "a later process with the same id";
    EXPECT_FALSE(is_other_live_process("other-" + mark)) << "a process of another machine";
    EXPECT_EQ(other_host(mark), "");
    EXPECT_EQ(other_host("other-" + mark), "other-" + mark.substr(0, mark.find(' ')));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(is_other_live_process(mark));
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
}

TEST(ProcessMark, InvalidMarksIdentifyNoProcess) {
    for (const char* mark : {"", "host", "host 12", "a b c d"}) EXPECT_FALSE(is_other_live_process(mark)) << mark;
    for (const char* mark : {"", "host", "host 12"}) EXPECT_EQ(other_host(mark), "") << mark;
}

}  // namespace
}  // namespace ropelab
