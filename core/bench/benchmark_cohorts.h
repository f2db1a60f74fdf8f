#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/bench/spread.h"
#include "core/spec/engine.h"

namespace ropelab::bench {

/// Creates cohorts that all train on the same random text and under the same conditions.
class BenchmarkCohorts {
 public:
    BenchmarkCohorts(Engine& engine, const RunSpec& shape);

    /// Returns the vocabulary size.
    int vocabulary() const { return vocabulary_; }
    /// Creates a cohort, which lives as long as this object.
    Cohort& cohort(std::vector<RunSpec> runs);

 private:
    Engine& engine_;
    int vocabulary_;
    std::vector<std::int32_t> tokens_;
    std::vector<std::unique_ptr<Cohort>> cohorts_;
};

/// Returns the number of steps per round for which the clock's resolution and the scheduler's time slices do not
/// matter. It trains two steps.
int steps_per_round(Cohort& cohort, const MeasurementLimits& patience);

/// Returns a function that trains this number of steps.
std::function<void()> steps_of(Cohort& cohort, int steps);

}  // namespace ropelab::bench
