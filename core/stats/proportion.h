#pragma once

#include <cstdint>

namespace ropelab {

// Exact statements about a proportion, such as the probability that a run's loss spikes, from the number of runs with
// the event.

/// Interval of a proportion.
struct ProportionInterval {
    double low = 0;
    double high = 1;
};
/// Returns the two-sided Clopper–Pearson interval with the confidence 1 − alpha: the quantiles alpha/2 of
/// Beta(events, n − events + 1) and 1 − alpha/2 of Beta(events + 1, n − events). Returns [0, 1] for n = 0. Throws
/// BadInput unless 0 <= events <= n and 0 < alpha < 1.
ProportionInterval clopper_pearson(std::int64_t events, std::int64_t n, double alpha = 0.05);

/// Returns the probability of `events` or more events in `n` runs with the given event probability. It is below alpha
/// exactly if the one-sided lower Clopper–Pearson bound at level alpha is above `probability`.
double binomial_at_least(std::int64_t events, std::int64_t n, double probability);
/// Returns the probability of `events` or fewer events in `n` runs with the given event probability. It is below alpha
/// exactly if the one-sided upper Clopper–Pearson bound at level alpha is below `probability`.
double binomial_at_most(std::int64_t events, std::int64_t n, double probability);

}  // namespace ropelab
