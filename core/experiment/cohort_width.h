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

// How many runs of one shape train together. No run's result depends on it, only the time does: on a GPU small models
// fill the machine together, on a processor they may leave its caches to each other one after another.

/// Sizes of cohorts of at most `widest` runs, as equal as can be: 54 by 16 are 14, 14, 13, 13.
std::vector<std::size_t> equal_parts(std::size_t runs, std::size_t widest);

/// How many runs of this shape train together on the processor in half of this machine's memory; at least 1.
std::size_t widest_in_memory(const RunSpec& spec);
/// Cuts cohorts to that, except those for a device, whose memory is known when they begin.
std::vector<std::vector<std::size_t>> split_by_memory(const std::vector<std::vector<std::size_t>>& cohorts,
                                                      const std::vector<RunSpec>& specs);

/// Seconds of a step by the number of runs that took it together.
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
/// time. Stops without complaint at a width that the
/// device has no memory for (BadInput), unless it is 1.
void measure_widths(StepTimes& times, std::size_t runs, std::int64_t iterations, const TimeSteps& time_steps,
                    const std::function<double()>& seconds);

/// What was settled before runs of one shape train.
struct CohortWidth {
    std::size_t runs = 0;  // that train together
    /// "One at a time, 1.12 × as fast as 6 together.", and where memory cuts a cohort, that; empty where nothing was
    /// measured or cut.
    std::string words;
    /// What the timed cohorts trained with; a choice that was made for one of them holds for all.
    std::optional<RunConditions> conditions;
};
/// "At most 4 at a time, 1.3 × as fast as one by one."
std::string width_words(const StepTimes& times, std::size_t chosen, std::size_t runs);

/// As many as fit into the device's memory, or half of this machine's; fewer where that is faster: measured where it
/// pays, once a shape and machine in the life of the program. `start` is of all runs, its states are not read. Throws
/// BadInput where not even one run can train.
CohortWidth choose_width(Engine& engine, const CohortStart& start, const TokenData& data,
                         const std::function<bool()>& cancelled);

/// What choose_width will do or has found for such runs, in one sentence for a plan; empty where it will do nothing.
std::string width_plan(const std::vector<RunSpec>& runs);

}  // namespace ropelab
