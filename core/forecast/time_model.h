#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// `start`: until the first step (engine, data, precision, width). `measuring`: measurements of a sheet afterwards.
enum class TimedPart { start, steps, evaluations, samples, probes, checkpoints, measuring };
inline constexpr std::size_t timed_part_count = 7;

struct PartWork {
    double calls = 0;  // steps, evaluations, samples …
    double items = 0;  // calls × runs; for samples and measurements tokens; for the start 1 if the engine is loaded
    double operations = 0;  // floating-point operations; for checkpoints bytes
};
using CohortWork = std::array<PartWork, timed_part_count>;
using PartSeconds = std::array<double, timed_part_count>;

/// From step `from` on. `validation`: tokens of the validation split. `loads_engine`: it is not loaded yet.
CohortWork cohort_work(const RunSpec& spec, std::int64_t runs, std::int64_t from, double validation, bool loads_engine);
/// Tokens that a model processes. With operations=eager each token needs the whole sequence, which grows up to the
/// context; otherwise a KV cache keeps it, until the text is longer than the context and, unless the generation is
/// `rolling`, each token needs the whole context again.
double tokens_to_generate(const RunSpec& spec, std::int64_t length, bool rolling = false);
/// Forward and backward, plus the evaluations spread over the steps (see evaluation_operations).
double operations_per_step(const RunSpec& spec);
/// Divided by 3: evaluations process many sequences at once, at which a CPU is about three times as fast.
double evaluation_operations(const RunSpec& spec, double tokens);
/// Floating-point operations per second of small models, overhead included; a cautious guess.
double default_speed(const RunSpec& spec);

/// What decides on the speed besides the work. The level of the CPU kernels follows from the processor.
struct TimeKey {
    std::string processor;     // model name
    std::string device;        // "cpu" or "cuda"
    std::string precision;     // "float32" or "bfloat16"
    std::int64_t threads = 0;  // as set; 0: default
    bool eager = false;        // RunSpec::operations
    auto operator<=>(const TimeKey&) const = default;
};

TimeKey time_key(const RunSpec& spec, std::string device, std::string precision);

struct TimedCohort {
    TimeKey key;
    bool chose_precision = false;  // precision=auto
    CohortWork work;
    PartSeconds seconds{};
};

/// Each part takes a·calls + b·items + c·operations seconds. The three coefficients of each part are fitted to the
/// cohorts that ran on this machine in the same precision, on the same device and with the same number of threads: by
/// least squares of the errors relative to the measured time, with Huber's weights against outliers, no negative
/// coefficients, and a weak pull to the default proportions of the coefficients, which decides where the cohorts are
/// too few or too similar. Without such cohorts the coefficients are the defaults.
class TimeModel {
 public:
    explicit TimeModel(std::vector<TimedCohort> cohorts = {});
    /// Counts only the operations of steps and evaluations, at this speed per second.
    static TimeModel at_speed(double operations_per_second);
    /// at_speed() for "2e14", or for a device of device_peaks(), of whose peak training is assumed to reach peak_share.
    /// Throws BadInput for any other text.
    static TimeModel of_device(const std::string& text);

    /// "on this machine", or the assumed speed of of_device().
    const std::string& place() const { return place_; }
    /// "40 s to 2 min" (expected_duration); one time at an assumed speed.
    std::string duration(double seconds) const;

    double seconds(const TimeKey& key, TimedPart part, const PartWork& work) const;
    double seconds(const TimeKey& key, const CohortWork& work) const;
    /// device=auto: as the newest cohort. precision=auto: as the cohort of precision=auto with the most similar number
    /// of operations per step. Without such cohorts both are guesses.
    TimeKey key_of(const RunSpec& spec) const;
    bool has_learned(const TimeKey& key) const { return fits_.contains(key); }

 private:
    using Coefficients = std::array<double, 3>;  // seconds per call, item and operation
    using Fit = std::array<Coefficients, timed_part_count>;
    static Fit defaults(const TimeKey& key);
    // As chosen for the step with the most similar number of operations.
    const std::string& automatic_precision(double operations) const;
    static Coefficients fitted(const std::vector<const TimedCohort*>& cohorts, std::size_t part, Coefficients prior);

    double speed_ = 0;  // of at_speed(); 0: none
    std::string place_ = "on this machine";
    std::map<TimeKey, Fit> fits_;
    std::string automatic_device_;                        // of the newest cohort; "" if there is none
    std::map<double, std::string> automatic_precisions_;  // by the operations of one step of one run
};

/// Floating-point operations per second with bfloat16 products, without sparsity.
struct DevicePeak {
    std::string_view name;
    double operations = 0;
    std::string_view source;
};
std::span<const DevicePeak> device_peaks();
/// Llama 3 405B reached 38 to 43 % of the peak of H100 (Grattafiori et al. 2024, table 4). Small models reach less.
inline constexpr double peak_share = 0.4;

struct Forecast {
    double predicted = 0;
    double measured = 0;
};
/// Newest last.
struct TimeRecords {
    std::vector<TimedCohort> cohorts;
    std::vector<Forecast> sweeps;
};

/// $XDG_DATA_HOME/ropelab/times.jsonl or ~/.local/share/ropelab/times.jsonl; empty if neither variable is set.
std::filesystem::path user_times_file();
/// Without a call nothing is stored and the model is the default. Programs call it once, with user_times_file().
void use_times_file(const std::filesystem::path& file);
std::filesystem::path times_file();

/// Lines that are not readable are skipped. A missing file has no records.
TimeRecords read_times(const std::filesystem::path& file);
/// Drops old records of a long file. Failure to write is ignored, because estimates are not worth an error.
void store_time(const TimedCohort& cohort);
void store_time(const Forecast& forecast);

/// Learned from times_file(), which is read again only if it has changed. Thread-safe.
std::shared_ptr<const TimeModel> machine_time_model();

/// Shortest and longest probable time in seconds: by the factors by which the last twelve sweeps were faster or slower
/// than predicted, of six or more without the smallest and the largest factor, and between half and twice the time
/// where fewer than three are known.
std::array<double, 2> time_range(double seconds, const std::vector<Forecast>& sweeps);
/// "40 s to 2 min", or one time if both have the same text.
std::string expected_duration(double seconds);

/// "Estimated training times of the last 12 sweeps: median error 14 %, largest 28 %."; "" if there is none.
std::string forecast_words(const std::vector<Forecast>& sweeps);
/// |predicted − measured| / measured of the last `most`, the newest last.
std::vector<double> forecast_errors(const std::vector<Forecast>& sweeps, std::size_t most = 12);

}  // namespace ropelab
