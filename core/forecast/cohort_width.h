#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/engine.h"

namespace ropelab {

// The number of runs that train together only affects speed. Small models together use a GPU fully; on a CPU sequential
// training may be faster, because each run then has the caches to itself. In float32 on the CPU a run's results are
// bit-identical at every width; elsewhere sums may be rounded in another order.

/// Precision, device, threads and CUDA graphs are equal.
bool equal_conditions(const RunConditions& a, const RunConditions& b);

/// At most `widest` runs each, with sizes as equal as possible: 54 runs with widest = 16 give 14, 14, 13, 13.
std::vector<std::size_t> equal_parts(std::size_t runs, std::size_t widest);

/// On the CPU, in half of this machine's memory; at least 1.
std::size_t max_width_in_memory(const RunSpec& spec);
/// By max_width_in_memory(), for the CPU; the free memory of a CUDA device is known only when its cohorts begin.
std::vector<std::vector<std::size_t>> split_by_memory(const std::vector<std::vector<std::size_t>>& cohorts,
                                                      const std::vector<RunSpec>& specs);

/// Infinity for a width that does not fit into memory.
using StepTimes = std::map<std::size_t, double>;

/// The widest measured width whose throughput in runs per second is at least 0.97 times the best one. If that is the
/// widest measured width, returns `runs`, because no measurement is against a wider cohort.
std::size_t best_width(const StepTimes& times, std::size_t runs);

struct TimedSteps {
    std::int64_t warm_up = 0;
    std::int64_t counted = 0;
};
/// More warm-up steps on a CUDA device, which first captures a graph.
TimedSteps timed_steps(bool cuda);

/// Timing cohorts of 1, 2, 4, …, `runs` runs takes at most 1 % of all steps. False for one run.
bool pays_to_measure(std::size_t runs, std::int64_t iterations, bool cuda);

/// The minimum of a few steps; nullopt if it was cancelled.
using TimeSteps = std::function<std::optional<double>(std::size_t width)>;
/// Narrow cohorts first, as long as timing takes less than 2 % of the time of sequential training. If sequential
/// training takes less than 10 seconds, only width 1 is timed. `seconds` is the clock. A width that does not fit into
/// the device's memory gets infinity and ends the timing; for width 1, BadInput is thrown instead.
void measure_widths(StepTimes& times, std::size_t runs, std::int64_t iterations, const TimeSteps& time_steps,
                    const std::function<double()>& seconds);

struct CohortWidth {
    std::size_t runs = 0;  // maximum number of runs per cohort
    /// "One run at a time, which is 1.12 × as fast as 6 together.", or that memory limits the width; empty for neither.
    std::string message;
    /// For all parts of the split cohort, so that they cannot differ; nullopt if not chosen before training.
    std::optional<RunConditions> conditions;
};
/// Such as "At most 4 runs at a time, which is 1.3 × as fast as sequentially."; empty if fewer than two widths were
/// timed.
std::string width_message(StepTimes times, std::size_t chosen, std::size_t runs);

/// As many runs as fit into the device's memory or half of this machine's, or fewer if that is faster. Widths are timed
/// if pays_to_measure(), once per shape and program run. `start` describes all runs; its states are ignored. Runs
/// without conditions get those chosen here for earlier such runs, never those of resumed runs. If `cancelled` returns
/// true, the choice uses the measurements so far. Throws BadInput if not even one run fits.
CohortWidth choose_width(Engine& engine, const CohortStart& start, const TokenData& data,
                         const std::function<bool()>& cancelled);

/// Says what choose_width will do or has found; empty if it will do nothing.
std::string width_plan(const std::vector<RunSpec>& runs);

void clear_step_times();

}  // namespace ropelab
