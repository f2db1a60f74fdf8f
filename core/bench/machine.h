#pragma once

#include <cstdint>
#include <string>

namespace ropelab::bench {

/// Description of the machine on which measurements were made.
struct Machine {
    std::string processor;  // processor_name()
    int cores = 0;          // number of cores that this program may use
    std::int64_t memory_bytes = 0;
};
/// Returns the description of this machine.
Machine this_machine();

/// Returns today's date in UTC, such as "2026-03-01".
std::string today();

}  // namespace ropelab::bench
