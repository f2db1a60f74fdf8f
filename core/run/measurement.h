#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// Time and memory of a cohort on this machine, measured with a few training steps.
struct Measurement {
    std::size_t cohort = 0;  // index in the list of measured cohorts
    /// Predicted duration of the whole training in seconds: measured time per step, plus evaluations in proportion to
    /// their floating-point operations.
    double seconds = 0;
    /// Peak resident memory in bytes, engine included; 0 if the system does not report it or a CUDA device trains.
    std::int64_t bytes = 0;
    RunConditions conditions;
    /// Explanation the measurement failed; "" if it succeeded.
    std::string problem;
};

/// Measures a temporary cohort of these runs: trains up to six steps, of which five count (on a CUDA device, which
/// first captures a graph, up to ten, of which five count; fewer after one second), and begins an evaluation to measure
/// its memory. `memory_before` is the resident memory of the program without the engine, in bytes. `cancelled` is
/// called between steps. Throws BadInput if the cohort cannot be created.
Measurement measure_cohort(Engine& engine, const std::vector<RunSpec>& runs, const std::filesystem::path& data_dir,
                           std::int64_t memory_before, const std::function<bool()>& cancelled);

}  // namespace ropelab
