#include "core/machine/child_process.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using namespace std::chrono_literals;

TEST(ChildProcess, ItsOutputEnvironmentAndStatusAreRead) {
    ChildProcess child({"/bin/sh", "-c", "echo \"$TEST_OF_CHILD\"; echo hidden >&2; read x; exit 7"},
                       "TEST_OF_CHILD=yes");
    EXPECT_EQ(child.read_until(Clock::now() + 20s), "yes\n");
    const auto status = child.wait_until(Clock::now() + 20s);
    ASSERT_TRUE(status);
    EXPECT_EQ(WEXITSTATUS(*status), 7) << "its standard input is empty";
    EXPECT_EQ(child.read_until(Clock::now() + 20s), "");
}

TEST(ChildProcess, SaysWhyAProgramDoesNotStart) {
    EXPECT_MESSAGE(ChildProcess({"/no/such/program"}, "A=b"), std::runtime_error,
                   "did not start (/no/such/program: No such file or directory)");
}

// No destructor runs in a program that is killed.
TEST(ChildProcess, EndsWithTheProgramThatStartedIt) {
    std::array<int, 2> ends{};  // the child has the writing end until it ends
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t program = ::fork();
    if (program == 0) {
        const ChildProcess child({"/bin/sh", "-c", "echo begun; exec sleep 60"}, "A=b");
        if (child.read_until(Clock::now() + 20s) == "begun\n") ::raise(SIGKILL);
        ::_exit(1);
    }
    ::close(ends[1]);
    int status = 0;
    ::waitpid(program, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    ::alarm(20);  // ends this test if the child lives
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    ::alarm(0);
    ::close(ends[0]);
}

}  // namespace
}  // namespace ropelab
