#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

// The width of a cohort: how many runs of one shape train as one batched program. The width only affects speed. Small
// models together use a GPU fully; on a CPU sequential training may be faster, because each run then has the caches to
// itself. In float32 on the CPU a run's results are bit-identical at every width; elsewhere sums may be rounded in
// another order.

/// Returns whether two conditions train alike: equal precision, device, threads and CUDA graphs.
bool equal_conditions(const RunConditions& a, const RunConditions& b);

/// Splits `runs` runs into cohorts of at most `widest` runs with sizes as equal as possible: 54 runs with widest = 16
/// give 14, 14, 13, 13.
std::vector<std::size_t> equal_parts(std::size_t runs, std::size_t widest);

/// Returns how many runs of this shape train together on the CPU in half of this machine's memory; at least 1.
std::size_t max_width_in_memory(const RunSpec& spec);
/// Splits cohorts for the CPU to at most max_width_in_memory() runs. Cohorts for a CUDA device are not split here,
/// because its free memory is known only when they begin.
std::vector<std::vector<std::size_t>> split_by_memory(const std::vector<std::vector<std::size_t>>& cohorts,
                                                      const std::vector<RunSpec>& specs);

/// Seconds per training step by cohort width; infinity for a width that does not fit into memory.
using StepTimes = std::map<std::size_t, double>;

/// Returns the widest measured width whose throughput in runs per second is at least 0.97 times the best one; a wider
/// cohort lets curves be compared while they grow. If that is the widest measured width, returns `runs`, because no
/// measurement is against a wider cohort.
std::size_t best_width(const StepTimes& times, std::size_t runs);

/// Minimum number of training steps when a cohort is timed.
struct TimedSteps {
    std::int64_t warm_up = 0;
    std::int64_t counted = 0;
};
/// Returns the number of steps to time; more warm-up steps on a CUDA device, which first captures a graph.
TimedSteps timed_steps(bool cuda);

/// Returns whether timing cohorts of 1, 2, 4, …, `runs` runs takes at most 1 % of the `iterations` steps of all runs.
/// False for one run.
bool pays_to_measure(std::size_t runs, std::int64_t iterations, bool cuda);

/// Returns the seconds per step of a cohort of `width` runs, the minimum of a few steps; nullopt if it was cancelled.
using TimeSteps = std::function<std::optional<double>(std::size_t width)>;
/// Adds missing widths to `times`, narrow cohorts first, as long as timing takes less than 2 % of the time that
/// training the `runs` runs sequentially would take. If sequential training takes less than 10 seconds, only width 1 is
/// timed. `seconds` is the clock. A width that does not fit into the device's memory gets infinity and ends the timing;
/// for width 1, BadInput is thrown instead.
void measure_widths(StepTimes& times, std::size_t runs, std::int64_t iterations, const TimeSteps& time_steps,
                    const std::function<double()>& seconds);

struct CohortWidth {
    std::size_t runs = 0;  // maximum number of runs per cohort
    /// The explanation for the user, such as "One run at a time, 1.12 × as fast as 6 together.", or that memory limits
    /// the width; empty if nothing was measured or limited.
    std::string message;
    /// The conditions for all parts of the split cohort, chosen once so that the parts cannot differ; nullopt if they
    /// need not be chosen before training.
    std::optional<RunConditions> conditions;
};
/// Returns the explanation of a cohort's width, such as "At most 4 runs at a time, 1.3 × as fast as sequentially.";
/// empty if fewer than two widths were timed.
std::string width_message(StepTimes times, std::size_t chosen, std::size_t runs);

/// Chooses the width of a cohort: as many runs as fit into the device's memory or half of this machine's, or fewer if
/// that is faster. Widths are timed if pays_to_measure(), once per shape and program run. `start` describes all runs;
/// its states are ignored. Runs without conditions get those chosen here for earlier such runs, never those of resumed
/// runs. If `cancelled` returns true, the choice uses the measurements so far. Throws BadInput if not even one run
/// fits.
CohortWidth choose_width(Engine& engine, const CohortStart& start, const TokenData& data,
                         const std::function<bool()>& cancelled);

/// Returns a sentence for a plan on what choose_width will do or has found for these runs; empty if it will do nothing.
std::string width_plan(const std::vector<RunSpec>& runs);

void clear_step_times();

}  // namespace ropelab
