#pragma once

#include <cstdint>

#include "core/stats/descriptive.h"
#include "core/stats/t_test.h"

namespace ropelab {

// Sequential evidence (formula 64): an e-process is compared with a threshold after every observation. If its
// hypothesis is true, the probability that it ever reaches 1/α is at most α (Ville's inequality), so that 1 / (largest
// value so far) is a p value that holds however often one looks and whenever one stops (Shafer et al. 2011). All
// functions return natural logarithms; 0 (the value 1) is no evidence.

/// Variance of the normal prior of (true mean) / (standard deviation), fixed before any data: paired differences
/// between settings are usually one to four standard deviations.
inline constexpr double default_prior_variance = 4;

/// Hypothesis: normal differences with mean 0 and any standard deviation. Bayes factor of the t statistic with a normal
/// prior of variance `g` of the standardized mean and the right-Haar prior of the standard deviation (Rouder et al.
/// 2009 with fixed g; a martingale in the filtration of the scale-invariant statistics: Wang & Ramdas 2023, arXiv
/// 2310.03722). 0 for fewer than two values or a deviation of 0. Products and means of the values of several
/// comparisons are no evidence, because each has a filtration of its own.
double log_t_mixture(const Sample& differences, double g = default_prior_variance);
/// Hypothesis: the mean is 0 or less. The prior is the positive half of the normal one. A shift of all values lowers
/// every value of the process, so that the guarantee also holds for means below 0.
double log_t_mixture_above(const Sample& differences, double g = default_prior_variance);
/// Means that log_t_mixture does not reject at level alpha; NaN if no mean is excluded yet.
Interval t_mixture_interval(const Sample& differences, double alpha, double g = default_prior_variance);
/// |t| at which log_t_mixture (or, one-sided, log_t_mixture_above) reaches 1/alpha; infinite if none does.
double t_mixture_critical(std::int64_t n, double alpha, bool one_sided, double g = default_prior_variance);

/// Hypothesis: the probability of an event is `bound` or less. Likelihood ratio with a uniform prior above the bound.
/// Throws BadInput unless 0 < bound < 1 and 0 <= events <= n.
double log_rate_above(std::int64_t events, std::int64_t n, double bound);
/// Hypothesis: it is `bound` or more.
double log_rate_below(std::int64_t events, std::int64_t n, double bound);
/// Hypothesis: the mean of values of −1, 0 and 1 (event in one run of a pair, in none or both, in the other) is `bound`
/// or more, 0 <= bound < 1. Capital of a mixture of 32 constant bets (Waudby-Smith & Ramdas 2024).
double log_balance_below(std::int64_t minus, std::int64_t zero, std::int64_t plus, double bound);

}  // namespace ropelab
