#pragma once

#include <cstddef>

#include "core/stats/results_table.h"

namespace ropelab {

// Training times and speeds of a results table. The runs of a cohort share one clock (core/spec/training_clock.h), and
// the load of the machine differs between sessions and drifts within one, so that most of them are one measurement and
// not one per seed.

/// Returns whether a measure is a training time or speed.
bool is_training_time(std::size_t measure);

/// Returns whether each run of a group has a clock of its own with a random place among the settings, so that its
/// training times are independent.
bool has_own_clocks(const ResultGroup& group);

/// Returns whether the values of a measure may be tested between two groups: all but training times may; these only if
/// both groups have clocks of their own in the same sessions, equal seeds in the same one.
bool is_testable(const ResultGroup& a, const ResultGroup& b, std::size_t measure);

/// Returns the statistics of a group's values of a measure. Training times that are not independent are one
/// measurement: n is 1 and the mean is over the clocks.
Description describe_measure(const ResultGroup& group, std::size_t measure);

}  // namespace ropelab
