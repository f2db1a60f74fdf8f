#pragma once

#include <cstdint>
#include <string>

namespace ropelab::bench {

/// What measurements were taken on.
struct Machine {
    std::string processor;  // as the system names it; "unknown" where it does not
    int cores = 0;          // that this program may use
    std::int64_t memory_bytes = 0;
};
Machine this_machine();

/// Today, UTC: "2026-03-01".
std::string today();

}  // namespace ropelab::bench
