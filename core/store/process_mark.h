#pragma once

#include <string>

namespace ropelab {

/// Returns a mark that identifies this process uniquely: "host process-id start-time". The start time distinguishes it
/// from later processes with the same id.
std::string process_mark();

/// Returns true if `mark` identifies another process that is alive on this machine. Returns false for this process and
/// for processes of other machines, whose state is unknown.
bool is_other_live_process(const std::string& mark);

/// Returns the host name of the process that `mark` identifies, or an empty string if it is this machine or `mark` is
/// invalid.
std::string other_host(const std::string& mark);

}  // namespace ropelab
