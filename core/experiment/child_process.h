#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ropelab {

/// A child process whose standard output is read. Its standard error goes nowhere. It has a process group of its own,
/// so that an interrupt typed at the terminal does not reach it. The destructor kills it, by its own number.
class ChildProcess {
 public:
    using Clock = std::chrono::steady_clock;

    /// `command`: the program's path, then its arguments. `variable`: "NAME=value", added to the environment. Throws
    /// std::runtime_error with one clause, "did not start (…)", where the program does not start.
    ChildProcess(const std::vector<std::string>& command, const std::string& variable);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// The next piece of its output; empty at the end of the output; nullopt where nothing came until `deadline`.
    std::optional<std::string> read_until(Clock::time_point deadline) const;
    /// Its status as waitpid has it; nullopt where it still runs at `deadline`.
    std::optional<int> wait_until(Clock::time_point deadline);
    /// Kills it and waits. A process that the kernel does not end, because a device's driver hangs, is left behind
    /// after two seconds.
    void kill();

 private:
    pid_t id_ = 0;
    int output_ = -1;
    std::optional<int> status_;
};

}  // namespace ropelab
