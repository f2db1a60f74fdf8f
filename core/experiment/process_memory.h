#pragma once

#include <cstdint>

namespace ropelab {

/// Resident memory of this program in bytes, now and at its highest since the start or the last forget_peak(); zeros
/// where the system does not tell.
struct ProcessMemory {
    std::int64_t now = 0;
    std::int64_t peak = 0;
};
ProcessMemory process_memory();

/// The highest counts from here on; where the system does not allow it, it stays.
void forget_peak();

}  // namespace ropelab
