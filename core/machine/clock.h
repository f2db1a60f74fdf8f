#pragma once

#include <chrono>

namespace ropelab {

/// Clock for durations: it never jumps.
using Clock = std::chrono::steady_clock;

/// Returns the seconds that have passed since `begin`.
inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the wall-clock time in seconds since 1970 (UTC).
inline double seconds_since_1970() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace ropelab
