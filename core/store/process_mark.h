#pragma once

#include <string>

namespace ropelab {

std::string host_name();

/// "host process-id start-time"; the start time distinguishes processes with the same id.
std::string process_mark();

/// False for this process and for processes of other machines, whose state is unknown.
bool is_other_live_process(const std::string& mark);

/// Empty if it is this machine or `mark` is invalid.
std::string other_host(const std::string& mark);

}  // namespace ropelab
