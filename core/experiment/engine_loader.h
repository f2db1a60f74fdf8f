#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// Opens the engine's library: beside the program (../lib), or ROPELAB_ENGINE. Sets what OpenMP reads before it loads.
/// Throws std::runtime_error with one sentence where it is missing or does not load. Thread-safe; opened once.
Engine& open_engine();
/// Resident bytes of this program when open_engine was about to open the library; 0 before that.
std::int64_t memory_before_engine();
/// Where the engine's library is looked for, in order.
std::vector<std::filesystem::path> engine_paths();

}  // namespace ropelab
