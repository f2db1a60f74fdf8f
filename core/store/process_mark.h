#pragma once

#include <string>

namespace ropelab {

/// Tells this process from every other one, also from a later one with its number: "host number start-time".
std::string process_mark();

/// Whether the process with this mark is another one of this machine and still there. False for this process itself,
/// and for processes of other machines, of which nothing can be known.
bool lives_elsewhere(const std::string& mark);

/// The machine of a process with this mark where it is another one than this; "" for this machine, and for nonsense.
std::string other_host(const std::string& mark);

}  // namespace ropelab
