#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/forecast/time_model.h"

namespace ropelab {

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
