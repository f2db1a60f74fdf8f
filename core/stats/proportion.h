#pragma once

#include <cstdint>
#include <optional>

#include "core/stats/t_test.h"

namespace ropelab {

/// Two-sided: the quantiles alpha/2 of Beta(events, n − events + 1) and 1 − alpha/2 of Beta(events + 1, n − events).
/// [0, 1] for n = 0. Throws BadInput unless 0 <= events <= n and 0 < alpha < 1.
Interval clopper_pearson(std::int64_t events, std::int64_t n, double alpha = 0.05);

/// Below alpha exactly if the one-sided lower Clopper–Pearson bound at level alpha is above `probability`.
double binomial_at_least(std::int64_t events, std::int64_t n, double probability);
/// Below alpha exactly if the one-sided upper Clopper–Pearson bound at level alpha is below `probability`.
double binomial_at_most(std::int64_t events, std::int64_t n, double probability);

/// events/n − others/other_n. The interval combines two Clopper–Pearson intervals of 1 − alpha/2 (Bonferroni). Requires
/// runs in both groups. Throws BadInput as clopper_pearson does.
IntervalEstimate proportion_difference(std::int64_t events, std::int64_t n, std::int64_t others, std::int64_t other_n,
                                       double alpha = 0.05);
/// Exact p of the hypothesis that the probability of the event in the first group exceeds that in the second by
/// `margin` or more: the smallest alpha at which the upper one-sided Clopper–Pearson bound of the first group less the
/// lower bound of the second, each at level alpha/2, is below the margin. Conservative and not computed below 1e-12.
double p_of_difference_below(std::int64_t events, std::int64_t n, std::int64_t others, std::int64_t other_n,
                             double margin);

/// Fisher's exact test, one-sided: the probability that `events` or more of the n runs of a group have the event if
/// both groups have the same event probability. 1 if a group is empty.
double fisher_greater_p(std::int64_t events, std::int64_t n, std::int64_t other_events, std::int64_t other_n);

/// Fisher's exact test, one-sided, for groups of `seeds` runs with event probabilities `more` and `fewer`.
double events_power(double more, double fewer, std::int64_t seeds, double alpha);

/// Per group, for Fisher's exact test at the one-sided level `rule.alpha`; `probability` and `other` in any order. The
/// power is not monotonic (see fewest_seeds). nullopt for equal probabilities or more than max_seeds.
std::optional<std::int64_t> seeds_to_detect_events(double probability, double other, const PowerRule& rule = {});

}  // namespace ropelab
