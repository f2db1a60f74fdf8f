#pragma once

#include <cstdint>

#include "core/contract/engine.h"

namespace ropelab {

/// Loaded once, from ROPELAB_ENGINE or ../lib relative to the program, with OpenMP's environment variables and the
/// LibTorch of find_libtorch(). Throws std::runtime_error if that fails; a later call tries again. Thread-safe.
Engine& open_engine();
/// Resident bytes of this program before; 0 if the library is not loaded.
std::int64_t memory_before_engine();

}  // namespace ropelab
