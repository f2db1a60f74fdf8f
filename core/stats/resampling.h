#pragma once

#include <span>

#include "core/stats/descriptive.h"

namespace ropelab {

// Tests and intervals of the mean of paired differences that assume no normal distribution. All 2ⁿ signs are counted
// for at most 16 differences, else 65,536 random ones, which depend on their number only.

/// p of the hypothesis that the differences are symmetric around 0: the share of signs with which the absolute mean is
/// at least the observed one (Fisher 1935). At least 2/2ⁿ, so that fewer than 6 pairs are never significant at 5 %. 1
/// without differences.
double sign_flip_p(std::span<const double> differences);
/// Shifts that sign_flip_p does not reject at 1 − confidence; infinite ends, as NaN, for too few differences. The p of
/// a shift counts the partitions of the differences into two parts with means on both sides of it.
Interval sign_flip_interval(std::span<const double> differences, double confidence = 0.95);
/// Bootstrap interval of the mean with 95 % confidence, bias-corrected and accelerated (BCa; Efron 1987), from 9,999
/// resamples. It is too narrow for few values. NaN for fewer than two values or equal ones.
Interval bootstrap_interval(std::span<const double> values);

}  // namespace ropelab
