#include "core/machine/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace ropelab {

namespace {

// Between fork and exec, where only functions that are safe in signal handlers may be called. Standard output is the
// pipe, standard input and error are /dev/null, and the child has its own process group. It ends when the thread that
// started it ends, as when this program is killed.
[[noreturn]] void become(char* const* arguments, char* const* variables, int output, int failure, pid_t parent) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (getppid() == parent) execve(arguments[0], arguments, variables);
    const int error = errno;
    if (write(failure, &error, sizeof(error)) < 0) _exit(1);
    _exit(1);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& variable) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("did not start (no pipe could be created)");
    output_ = ends[0];
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> variables = {const_cast<char*>(variable.c_str())};
    for (char** known = environ; *known; ++known) variables.push_back(*known);
    variables.push_back(nullptr);
    std::array<int, 2> failure{};
    const int made = pipe2(failure.data(), O_CLOEXEC);
    const pid_t parent = getpid();
    id_ = made == 0 ? fork() : -1;
    if (id_ == 0) become(arguments.data(), variables.data(), ends[1], failure[1], parent);
    int error = id_ < 0 ? errno : 0;
    close(ends[1]);
    if (made == 0) {
        close(failure[1]);
        while (id_ > 0 && ::read(failure[0], &error, sizeof(error)) < 0 && errno == EINTR) continue;
        close(failure[0]);
    }
    if (error == 0) return;
    if (id_ > 0) waitpid(id_, nullptr, 0);
    close(output_);
    throw std::runtime_error("did not start (" + command.front() + ": " + std::strerror(error) + ")");
}

ChildProcess::~ChildProcess() {
    if (!status_) kill();
    close(output_);
}

std::optional<std::string> ChildProcess::read_until(Clock::time_point deadline) const {
    std::array<char, 4096> buffer{};
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{output_, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
        if (ready == 0) return std::nullopt;
        if (ready < 0 && errno == EINTR) continue;
        const ssize_t count = ready < 0 ? 0 : ::read(output_, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        return std::string(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

std::optional<int> ChildProcess::wait_until(Clock::time_point deadline) {
    while (!status_) {
        int status = 0;
        const pid_t ended = waitpid(id_, &status, WNOHANG);
        if (ended == id_ || (ended < 0 && errno != EINTR)) {
            status_ = status;
        } else if (Clock::now() >= deadline) {
            break;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    return status_;
}

void ChildProcess::kill() {
    if (status_) return;
    ::kill(id_, SIGKILL);
    wait_until(Clock::now() + std::chrono::seconds(2));
}

}  // namespace ropelab
