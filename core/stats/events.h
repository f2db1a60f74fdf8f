#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/power.h"

namespace ropelab {

// Whether an event, as a loss spike, meets the runs of one group more often than those of another.

/// Fisher's exact test, one-sided: the chance that a group of `n` runs has `events` or more of the events that both
/// groups have together, were they alike. 1 for an empty group.
double fisher_more(std::int64_t events, std::int64_t n, std::int64_t other_events, std::int64_t other_n);

/// Chance that this test, at the one-sided level `alpha`, tells two groups of `seeds` runs apart, where the event meets
/// a run of either with the chance `more` or `fewer`: summed over all outcomes, each count binomial.
double events_power(double more, double fewer, std::int64_t seeds, double alpha);

/// Seeds in each group with which it does so with the rule's power at the rule's level, one-sided, were these the true
/// shares (0 to 1, in either order), found as fewest_seeds does: the power goes up with the seeds in a sawtooth.
/// nullopt for equal shares and where it takes more than most_seeds.
std::optional<std::int64_t> seeds_to_tell_events(double share, double other, const PowerRule& rule = {});

}  // namespace ropelab
