#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// Returns the training engine. The first call loads its library from ROPELAB_ENGINE or ../lib relative to the program,
/// after setting OpenMP's environment variables. Throws std::runtime_error with one sentence if the library is missing
/// or cannot be loaded. Thread-safe.
Engine& open_engine();
/// Returns the resident memory of this program before the engine's library was loaded, in bytes; 0 if it is not loaded.
std::int64_t memory_before_engine();
/// Returns the paths where the engine's library is searched, in order.
std::vector<std::filesystem::path> engine_paths();

}  // namespace ropelab
