#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/machine/clock.h"

namespace ropelab {

/// Its standard error is discarded. Its own process group keeps Ctrl-C from it. The destructor kills it.
class ChildProcess {
 public:
    /// `command`: path, then arguments. `variable`: "NAME=value", added to the environment. Throws std::runtime_error
    /// with a clause "did not start (…)" if the program cannot be started.
    ChildProcess(const std::vector<std::string>& command, const std::string& variable);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// The next piece; empty at the end of the output; nullopt if none arrives until `deadline`.
    std::optional<std::string> read_until(Clock::time_point deadline) const;
    /// In waitpid's format; nullopt if the process still runs at `deadline`.
    std::optional<int> wait_until(Clock::time_point deadline);
    /// Waits at most two seconds, because a process whose device driver hangs may never end.
    void kill();

 private:
    pid_t id_ = 0;
    int output_ = -1;
    std::optional<int> status_;
};

}  // namespace ropelab
