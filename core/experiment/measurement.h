#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// What a few steps of a cohort showed on this machine.
struct Measurement {
    std::size_t cohort = 0;  // its place in the list that was measured
    /// Of the cohort's whole training: the steps as measured, evaluations as their share of the operations says.
    double seconds = 0;
    /// Resident at most, the engine included; 0 where the system does not tell and where another device trains.
    std::int64_t bytes = 0;
    RunConditions conditions;
    /// Why it could not be measured; "" where it was.
    std::string problem;
};

/// Makes a cohort of these runs from a fresh start, trains up to six steps (fewer once a second has passed; the first
/// is not counted; on a device, where a graph is captured first, up to ten, of which five), begins an evaluation for
/// its memory, and throws the cohort away. `memory_before`: resident bytes of the program without the engine.
/// `cancelled` is asked between steps. Throws BadInput where the cohort cannot be made.
Measurement measure_cohort(Engine& engine, const std::vector<RunSpec>& runs, const std::filesystem::path& data_dir,
                           std::int64_t memory_before, const std::function<bool()>& cancelled);

}  // namespace ropelab
