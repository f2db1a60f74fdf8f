#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// The first call loads its library from ROPELAB_ENGINE or ../lib relative to the program, after setting OpenMP's
/// environment variables. Throws std::runtime_error with one sentence if the library is missing or cannot be loaded.
/// Thread-safe.
Engine& open_engine();
/// Resident bytes of this program before; 0 if the library is not loaded.
std::int64_t memory_before_engine();
/// Searched in order.
std::vector<std::filesystem::path> engine_paths();

}  // namespace ropelab
