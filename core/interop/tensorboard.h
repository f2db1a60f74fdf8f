#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

/// Castagnoli, as in RFC 3720; 0xE3069283 for "123456789".
std::uint32_t crc32c(std::string_view bytes);

/// The length as 8 bytes (little endian), its masked CRC-32C, the data, and the masked CRC-32C of the data.
std::string event_record(std::string_view data);

/// For the times of steps and evaluations that an older version recorded without times.
struct RunClock {
    double start = 0;             // seconds since 1970 (UTC)
    double seconds_per_step = 0;  // mean duration of a training step
    /// False if the run has no training time yet; then seconds_per_step is 0.001.
    bool measured = false;
};
/// Throws BadInput if the start time of the experiment is not UTC in ISO 8601.
RunClock clock_of(const RunRecord& run, const ExperimentRecord& experiment);

/// The scalars are loss/train, gradient_norm and learning_rate of every step, loss/validation and loss/train_evaluated
/// of every evaluation, and tokens_per_second and loss/validation_whole at the end, if the run has them. Losses are in
/// nats per token. A number that is not finite is stored as NaN, which TensorBoard marks. The settings are stored as a
/// table for the Text page ("settings") and as hyperparameters for the HParams page. Steps and evaluations have their
/// stored times; those without one have the times of `clock`.
std::string event_file(const RunRecord& run, const RunMetrics& metrics, const RunClock& clock);

/// At most 100 ASCII letters, digits and "._-=+", such as "theta_500_25percent"; not empty, no dot at the beginning.
std::string folder_name(std::string_view name);

struct EventFile {
    RunId run = 0;
    std::filesystem::path path;
    std::int64_t steps = 0;        // number of steps in the file
    std::int64_t evaluations = 0;  // number of evaluations in the file
    bool times_stored = false;     // the lab stores the time of each step and evaluation
    bool times_measured = false;   // RunClock::measured
};

/// For `tensorboard --logdir folder`. Each run gets a folder inside `folder` with a file "events.out.tfevents.<seconds
/// since 1970>.ropelab". The folders are named after the run and its seed; their names differ also on systems that
/// ignore case. If `replace` is true, `folder` may contain files, and event files of an earlier export of these runs
/// are removed. Throws BadInput if `folder` is not empty and `replace` is false, or if a file cannot be written.
std::vector<EventFile> write_event_files(const LabFile& lab, const std::vector<RunRecord>& runs,
                                         const std::filesystem::path& folder, bool replace);

}  // namespace ropelab
