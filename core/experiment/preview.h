#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/estimate.h"
#include "core/experiment/measurement.h"
#include "core/experiment/runner.h"
#include "core/experiment/same_models.h"

namespace ropelab {

/// A cohort before it trains.
struct PreviewedCohort {
    std::vector<std::size_t> runs;  // places in Preview::runs
    Estimate cost;
    bool measured = false;  // the seconds, and the bytes where the system tells them
    std::string problem;    // why a measurement failed
    std::string width;      // one sentence on how many train at a time, where a measurement settles it
};

/// What an experiment will do: its runs, how they group, and what they cost on this machine.
struct Preview {
    std::vector<RunSpec> runs;
    /// Keys in which runs differ, in the table's order.
    std::vector<std::string> differing;
    /// In the order in which they train.
    std::vector<PreviewedCohort> cohorts;
    /// Runs that train nothing new.
    SameModels same;
    /// Why texts are not to be had, a sentence each: without them the sweep cannot start.
    std::vector<std::string> missing;

    double seconds() const;
    /// At most: cohorts train one after another.
    std::int64_t bytes() const;
    /// Whether every cohort was measured.
    bool measured() const;
    /// Runs of each cohort, as Runner::measure takes them.
    std::vector<std::vector<RunSpec>> cohort_runs() const;
    /// Puts what was measured in the place of the estimate.
    void take(const Measurement& measurement);
};

/// From the estimate, as `estimate` says; cohorts are those that a Runner trains. Texts are looked for, not read.
Preview preview(std::vector<RunSpec> runs, double operations_per_second = 0,
                const std::filesystem::path& data_dir = {});

}  // namespace ropelab
