#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Parts of the time that a cohort takes: until its first step (engine, data, choice of precision and width), training
/// steps, evaluations, text samples, probes, checkpoints, and the measurements of a sheet after the training.
enum class TimedPart { start, steps, evaluations, samples, probes, checkpoints, measuring };
inline constexpr std::size_t timed_part_count = 7;

/// Work of one part, computed from the settings.
struct PartWork {
    double calls = 0;  // steps, evaluations, samples …
    double items = 0;  // calls × runs; for samples and measurements tokens; for the start 1 if the engine is loaded
    double operations = 0;  // floating-point operations; for checkpoints bytes
};
using CohortWork = std::array<PartWork, timed_part_count>;
using PartSeconds = std::array<double, timed_part_count>;

/// What decides on the speed besides the work. The level of the CPU kernels follows from the processor.
struct TimeKey {
    std::string processor;     // model name
    std::string device;        // "cpu" or "cuda"
    std::string precision;     // "float32" or "bfloat16"
    std::int64_t threads = 0;  // as set; 0: default
    bool eager = false;        // RunSpec::operations
    auto operator<=>(const TimeKey&) const = default;
};

/// Returns the key of runs with these settings that train on this device in this precision.
TimeKey time_key(const RunSpec& spec, std::string device, std::string precision);

struct TimedCohort {
    TimeKey key;
    bool chose_precision = false;  // precision=auto
    CohortWork work;
    PartSeconds seconds{};
};

/// Predicts times from work: each part takes a·calls + b·items + c·operations seconds. The three coefficients of each
/// part are fitted to the cohorts that ran on this machine in the same precision, on the same device and with the same
/// number of threads: by least squares of the errors relative to the measured time, with Huber's weights against
/// outliers, no negative coefficients, and a weak pull to the default proportions of the coefficients, which decides
/// where the cohorts are too few or too similar. Without such cohorts the coefficients are the defaults.
class TimeModel {
 public:
    explicit TimeModel(std::vector<TimedCohort> cohorts = {});
    /// Returns a model that only counts the operations of steps and evaluations, at this speed per second.
    static TimeModel at_speed(double operations_per_second);

    double seconds(const TimeKey& key, TimedPart part, const PartWork& work) const;
    double seconds(const TimeKey& key, const CohortWork& work) const;
    /// Returns the key of runs with these settings. For device=auto the device is that of the newest cohort, and for
    /// precision=auto the precision is that of the cohort with precision=auto whose step has the most similar number of
    /// operations per run; without such cohorts both are guesses.
    TimeKey key_of(const RunSpec& spec) const;
    bool has_learned(const TimeKey& key) const { return fits_.contains(key); }

 private:
    using Coefficients = std::array<double, 3>;  // seconds per call, item and operation
    using Fit = std::array<Coefficients, timed_part_count>;
    static Fit defaults(const TimeKey& key);
    // Returns the precision that precision=auto chose for the step with the most similar number of operations.
    const std::string& automatic_precision(double operations) const;
    static Coefficients fitted(const std::vector<const TimedCohort*>& cohorts, std::size_t part, Coefficients prior);

    double speed_ = 0;  // of at_speed(); 0: none
    std::map<TimeKey, Fit> fits_;
    std::string automatic_device_;                        // of the newest cohort; "" if there is none
    std::map<double, std::string> automatic_precisions_;  // by the operations of one step of one run
};

/// Forecast and measured time of a finished sweep, in seconds.
struct Forecast {
    double predicted = 0;
    double measured = 0;
};
/// The contents of a file of measured times, the newest last.
struct TimeRecords {
    std::vector<TimedCohort> cohorts;
    std::vector<Forecast> sweeps;
};

/// Returns the file of measured times of a user: $XDG_DATA_HOME/ropelab/times.jsonl or
/// ~/.local/share/ropelab/times.jsonl; empty if neither variable is set.
std::filesystem::path user_times_file();
/// Sets the file in which this process stores measured times and from which machine_time_model() learns. Without a call
/// nothing is stored and the model is the default. Programs call it once, with user_times_file().
void use_times_file(const std::filesystem::path& file);
/// Returns that file; empty if there is none.
std::filesystem::path times_file();

/// Reads a file of measured times; lines that are not readable are skipped. A missing file has no records.
TimeRecords read_times(const std::filesystem::path& file);
/// Appends a record to times_file(), if there is one, and drops old records of a file that has grown too long. A file
/// that cannot be written is left as it is, because estimates are not worth an error.
void store_time(const TimedCohort& cohort);
void store_time(const Forecast& forecast);

/// Returns the model of this machine, learned from times_file(). The file is read again only if it has changed.
/// Thread-safe.
std::shared_ptr<const TimeModel> machine_time_model();

/// Returns the shortest and the longest time in seconds that a sweep of the predicted time probably takes: by the
/// factors by which the last twelve sweeps were faster or slower than predicted, and between half and twice the time
/// where fewer than three are known.
std::array<double, 2> time_range(double seconds, const std::vector<Forecast>& sweeps);
/// Returns that range on this machine as text: "40 s to 2 min", or one time if both have the same text.
std::string expected_duration(double seconds);

/// Returns how good the last estimates were: "Estimates of the last 12 sweeps: median error 14 %, largest 28 %."; "" if
/// there is none. Errors are relative to the measured time.
std::string forecast_words(const std::vector<Forecast>& sweeps);
/// Returns the relative errors of the last `most` forecasts, |predicted − measured| / measured, the newest last.
std::vector<double> forecast_errors(const std::vector<Forecast>& sweeps, std::size_t most = 12);

}  // namespace ropelab
