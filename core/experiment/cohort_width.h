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

// How many runs of one shape train together, which is for the time: on a GPU small models fill the machine together, on
// a processor they may leave its caches to each other one after another. In float32 on a processor a run's bits do not
// depend on it; elsewhere sums may be rounded in another order.

/// Whether runs train alike under both: precision, device and threads.
bool train_alike(const RunConditions& a, const RunConditions& b);

/// Sizes of cohorts of at most `widest` runs, as equal as can be: 54 by 16 are 14, 14, 13, 13.
std::vector<std::size_t> equal_parts(std::size_t runs, std::size_t widest);

/// How many runs of this shape train together on the processor in half of this machine's memory; at least 1.
std::size_t widest_in_memory(const RunSpec& spec);
/// Cuts cohorts to that, except those for a device, whose memory is known when they begin.
std::vector<std::vector<std::size_t>> split_by_memory(const std::vector<std::vector<std::size_t>>& cohorts,
                                                      const std::vector<RunSpec>& specs);

/// Seconds of a step by the number of runs that took it together; infinity where those did not fit into memory.
using StepTimes = std::map<std::size_t, double>;

/// The widest of the measured cohorts that trains at least 0.97 times as many runs a second as the fastest of them:
/// curves that grow side by side are worth that much. Where that is the widest of all, as many as there are: nothing
/// spoke against more.
std::size_t best_width(const StepTimes& times, std::size_t runs);

/// Steps that a cohort takes at least when it is timed.
struct TimedSteps {
    std::int64_t warm_up = 0;
    std::int64_t counted = 0;
};
/// On a device a graph is captured first.
TimedSteps timed_steps(bool cuda);

/// Whether timing cohorts of 1, 2, 4 … `runs` runs costs little beside `iterations` steps of all of them: 1 % of the
/// steps at most. Never for one run.
bool pays_to_measure(std::size_t runs, std::int64_t iterations, bool cuda);

/// Seconds of a step of so many runs, the least of a few; nullopt where it was cancelled.
using TimeSteps = std::function<std::optional<double>(std::size_t width)>;
/// Times what is not among `times` yet, narrow cohorts first, as long as those of several runs stay under 2 % of what
/// training `runs` runs one by one would take, and none of them where that is under 10 seconds. `seconds` tells the
/// time. Ends with infinity for a width that the device has no memory for (BadInput), unless that is 1: then it throws.
void measure_widths(StepTimes& times, std::size_t runs, std::int64_t iterations, const TimeSteps& time_steps,
                    const std::function<double()>& seconds);

/// What was settled before runs of one shape train.
struct CohortWidth {
    std::size_t runs = 0;  // that train together
    /// "One at a time, 1.12 × as fast as 6 together.", and where memory cuts a cohort, that; empty where nothing was
    /// measured or cut.
    std::string words;
    /// What all parts of a cohort train with: a choice that was made for one of them. nullopt where none had to be made
    /// before it trains.
    std::optional<RunConditions> conditions;
};
/// "At most 4 at a time, 1.3 × as fast as one by one."
std::string width_words(StepTimes times, std::size_t chosen, std::size_t runs);

/// As many as fit into the device's memory, or half of this machine's; fewer where that is faster: measured where it
/// pays, once a shape and machine in the life of the program. `start` is of all runs, its states are not read. Runs
/// without conditions take over those that others without were given here, never those of runs that began earlier.
/// Once `cancelled`, what is known so far decides. Throws BadInput where not even one run can train.
CohortWidth choose_width(Engine& engine, const CohortStart& start, const TokenData& data,
                         const std::function<bool()>& cancelled);

/// What choose_width will do or has found for such runs, in one sentence for a plan; empty where it will do nothing.
std::string width_plan(const std::vector<RunSpec>& runs);

/// Forgets what was measured, as if the program had just begun.
void forget_times();

}  // namespace ropelab
