#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// What a sweep will cost on this machine.
struct Estimate {
    double seconds = 0;
    std::int64_t bytes = 0;       // resident at most, the engine included; with device=cuda the device's
    std::int64_t parameters = 0;  // of the largest run
    int runs = 0;
    int cohorts = 0;
};
/// From the operation counts (of operations=eager more, as measured) and the speed that `operations_per_second` states
/// (0: default_speed, until a sweep has been measured): steps, evaluations, and the last evaluation, which reads the
/// whole split. Texts are looked for in `data_dir` too, for their length.
Estimate estimate(const std::vector<RunSpec>& runs, double operations_per_second = 0,
                  const std::filesystem::path& data_dir = {});
/// The `operations_per_second` at which estimate() would have said `seconds`, which a sweep of these runs took from
/// their start to their end; nullopt where that tells too little: under 5 seconds, or runs of under 50 steps.
std::optional<double> reached_speed(const std::vector<RunSpec>& runs, double seconds,
                                    const std::filesystem::path& data_dir = {});
/// Floating-point operations of one training step of one run, forward and backward, evaluations spread over the steps.
/// Those count a third: they read many windows at once, and a processor is about three times as fast at that.
double operations_per_step(const RunSpec& spec);
/// What such a reading of `symbols` symbols counts.
double reading_operations(const RunSpec& spec, double symbols);
/// Symbols of a run's validation split where its text is there; else of the known set in full, or a rough guess.
std::int64_t likely_validation_symbols(const RunSpec& spec, const std::filesystem::path& data_dir = {});
/// Operations a second in training small models of such a run, overhead included: a cautious guess for this processor,
/// or for a GPU of a data centre.
double default_speed(const RunSpec& spec);

}  // namespace ropelab
