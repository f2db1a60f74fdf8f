#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab {

/// CRC-32C (Castagnoli, as in RFC 3720) of some bytes: 0xE3069283 of "123456789".
std::uint32_t crc32c(std::string_view bytes);

/// One record of an event file: length as 8 bytes (little endian), its masked CRC-32C, the data, their masked CRC-32C.
std::string event_record(std::string_view data);

/// When a run began, in seconds since 1970 (UTC), and how long each of its steps took. A lab keeps when an experiment
/// was started and a run's share of the training time, but no time of each step: steps are spread evenly over it.
struct RunClock {
    double start = 0;
    double seconds_per_step = 0;
    /// False where the run has no training time yet: then a millisecond a step stands in.
    bool measured = false;
};
/// Throws BadInput where the experiment's time is not UTC in ISO 8601, as labs write it.
RunClock clock_of(const RunRecord& run, const ExperimentRecord& experiment);

/// The bytes of one run's event file. Scalars: loss/train, gradient_norm and learning_rate of every step,
/// loss/validation and loss/train_evaluated of every evaluation, tokens_per_second and loss/validation_whole at the
/// end, where the run has them. Losses in nats per symbol; a number that was not finite stays NaN, which TensorBoard
/// marks. The settings go in twice: as a table of its Text page ("settings") and as hyperparameters of its HParams
/// page.
std::string event_file(const RunRecord& run, const RunMetrics& metrics, const RunClock& clock);

/// A name for a run's folder out of ASCII letters, digits and "._-=+", at most 100 long: "theta_500_25percent". Never
/// empty, never beginning with a dot.
std::string folder_name(std::string_view name);

/// One event file that was written.
struct EventFile {
    RunId run = 0;
    std::filesystem::path path;
    std::int64_t steps = 0;
    std::int64_t evaluations = 0;
    bool times_measured = false;  // RunClock::measured
};

/// Writes one folder a run below `folder`, with one file "events.out.tfevents.<seconds since 1970>.ropelab" in it, so
/// that `tensorboard --logdir folder` shows them. Folders are named after run and seed and differ also where capitals
/// do not count. `replace`: a folder that is not empty is written into, and event files of an earlier export in the
/// runs' own folders go; otherwise it is refused. Throws BadInput.
std::vector<EventFile> write_event_files(const LabFile& lab, const std::vector<RunRecord>& runs,
                                         const std::filesystem::path& folder, bool replace);

}  // namespace ropelab
