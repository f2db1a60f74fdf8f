#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/forecast/estimate.h"
#include "core/results/same_models.h"
#include "core/run/runner.h"

namespace ropelab {

struct PreviewedCohort {
    std::vector<std::size_t> runs;  // indices into Preview::runs
    Estimate cost;
    bool measured = false;  // cost has measured seconds, and measured bytes if the system reports them
    std::string problem;    // why the measurement failed; "" if it did not
    std::string width;      // sentence on how many runs train at a time, if that is measured
};

struct Preview {
    std::vector<RunSpec> runs;
    /// In the order of the table of settings.
    std::vector<std::string> differing;
    std::vector<PreviewedCohort> cohorts;
    /// They train the same model as an earlier run.
    SameModels same;
    /// One sentence per data set that cannot be opened; the sweep cannot start without it.
    std::vector<std::string> missing;

    double seconds() const;
    std::int64_t bytes() const;
    bool measured() const;
    /// The argument of Runner::measure.
    std::vector<std::vector<RunSpec>> cohort_runs() const;
    void take(const Measurement& measurement);
};

/// Costs estimated with `model` (see estimate()), with the cohorts that a Runner trains. Data sets are located, but not
/// read.
Preview preview(std::vector<RunSpec> runs, const std::filesystem::path& data_dir = {},
                const TimeModel& model = *machine_time_model());

}  // namespace ropelab
