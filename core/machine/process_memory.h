#pragma once

#include <cstdint>

namespace ropelab {

/// Resident bytes: current, and peak since the last reset_peak_memory(). 0 if the system does not report them.
struct ProcessMemory {
    std::int64_t now = 0;
    std::int64_t peak = 0;
};
ProcessMemory process_memory();

/// Bytes that new processes can use without swapping (MemAvailable); 0 if the system does not report them.
std::int64_t available_memory();

/// The peak becomes the current value, if the system allows it.
void reset_peak_memory();

}  // namespace ropelab
