#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Estimated time and memory of a sweep on this machine.
struct Estimate {
    double seconds = 0;
    std::int64_t bytes = 0;       // peak resident memory, engine included; with device=cuda the device's memory
    std::int64_t parameters = 0;  // trainable parameters of the largest run
    int runs = 0;
    int cohorts = 0;
};
/// Estimates time and memory of a sweep from its floating-point operations: training steps, evaluations and the final
/// evaluation on the whole validation split, plus a measured surcharge for operations=eager. `operations_per_second` is
/// the speed (0: default_speed()). The length of a data set is taken from its file, which is also searched in
/// `data_dir`.
Estimate estimate(const std::vector<RunSpec>& runs, double operations_per_second = 0,
                  const std::filesystem::path& data_dir = {});
/// Returns the `operations_per_second` at which estimate() equals `seconds`, the measured duration of a sweep of these
/// runs. Returns nullopt if the measurement is too short: less than 5 seconds, or a run of less than 50 steps.
std::optional<double> reached_speed(const std::vector<RunSpec>& runs, double seconds,
                                    const std::filesystem::path& data_dir = {});
/// Returns the floating-point operations of one training step of one run, forward and backward, plus the evaluations
/// spread over the steps (see evaluation_operations).
double operations_per_step(const RunSpec& spec);
/// Returns the floating-point operations of evaluating `tokens` tokens, divided by 3: evaluations process many
/// sequences at once, at which a CPU is about three times as fast.
double evaluation_operations(const RunSpec& spec, double tokens);
/// Returns the number of tokens of a run's validation split: from its file if that exists, otherwise from the known
/// data set, otherwise a rough guess.
std::int64_t likely_validation_tokens(const RunSpec& spec, const std::filesystem::path& data_dir = {});
/// Returns a cautious guess of the training speed of small models in floating-point operations per second, overhead
/// included, for this machine's CPU or for a data-centre GPU.
double default_speed(const RunSpec& spec);

}  // namespace ropelab
