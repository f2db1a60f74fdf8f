#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/power.h"

namespace ropelab {

// Tests of whether an event, such as a loss spike, occurs in more runs of one group than of another.

/// Returns the p value of Fisher's exact test, one-sided: the probability that `events` or more of the n runs of a
/// group have the event if both groups have the same event probability. `other_events` of the `other_n` runs of the
/// other group have the event. Returns 1 if a group is empty.
double fisher_greater_p(std::int64_t events, std::int64_t n, std::int64_t other_events, std::int64_t other_n);

/// Returns the power of Fisher's exact test at the one-sided level `alpha` for two groups of `seeds` runs, whose event
/// probabilities are `more` and `fewer`. The power is summed over all outcomes with binomial counts.
double events_power(double more, double fewer, std::int64_t seeds, double alpha);

/// Returns the number of seeds per group with which Fisher's exact test at the one-sided level `rule.alpha` has the
/// power `rule.power`, if the event probabilities of the two groups are `probability` and `other` (in any order). The
/// power does not grow monotonically with the number of seeds; fewest_seeds finds the number. Returns nullopt if the
/// probabilities are equal or if more than max_seeds seeds are needed.
std::optional<std::int64_t> seeds_to_detect_events(double probability, double other, const PowerRule& rule = {});

}  // namespace ropelab
