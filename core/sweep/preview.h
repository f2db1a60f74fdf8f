#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/same_models.h"
#include "core/forecast/estimate.h"
#include "core/run/runner.h"

namespace ropelab {

/// A cohort of a planned experiment, with its expected cost.
struct PreviewedCohort {
    std::vector<std::size_t> runs;  // indices into Preview::runs
    Estimate cost;
    bool measured = false;  // cost has measured seconds, and measured bytes if the system reports them
    std::string problem;    // why the measurement failed; "" if it did not
    std::string width;      // sentence on how many runs train at a time, if that is measured
};

/// A preview of an experiment: its runs, their cohorts, and time and memory on this machine.
struct Preview {
    std::vector<RunSpec> runs;
    /// Keys of the settings in which runs differ, in the order of the table of settings.
    std::vector<std::string> differing;
    /// Cohorts in training order.
    std::vector<PreviewedCohort> cohorts;
    /// Runs that train the same model as an earlier run.
    SameModels same;
    /// One sentence per data set that cannot be opened; the sweep cannot start without it.
    std::vector<std::string> missing;

    /// Returns the total time of all cohorts in seconds.
    double seconds() const;
    /// Returns the maximum memory of the cohorts in bytes; cohorts train sequentially.
    std::int64_t bytes() const;
    /// Returns whether every cohort was measured.
    bool measured() const;
    /// Returns the runs of each cohort, the argument of Runner::measure.
    std::vector<std::vector<RunSpec>> cohort_runs() const;
    /// Replaces the estimate of a cohort by its measurement.
    void take(const Measurement& measurement);
};

/// Returns the preview of these runs with estimated costs (see estimate()). Cohorts are those that a Runner trains.
/// Data sets are located, but not read.
Preview preview(std::vector<RunSpec> runs, const std::filesystem::path& data_dir = {});

}  // namespace ropelab
