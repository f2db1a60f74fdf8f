#include "core/machine/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
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

// Standard output is the pipe, standard input and error are /dev/null, and the child gets its own process group.
class SpawnSettings {
 public:
    explicit SpawnSettings(int output) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
};

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
    const SpawnSettings settings(ends[1]);
    const int error = posix_spawn(&id_, arguments.front(), &settings.actions, &settings.attributes, arguments.data(),
                                  variables.data());
    close(ends[1]);
    if (error == 0) return;
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
