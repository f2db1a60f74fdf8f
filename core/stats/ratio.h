#pragma once

#include <optional>
#include <span>

#include "core/stats/t_test.h"

namespace ropelab {

// Tests of whether the ratio of two means lies in a range, such as "about half the speed": 0.4 to 0.6. The ratio is
// above r exactly if mean(a) − r·mean(b) is above 0, which a t test decides (Fieller 1954; two one-sided tests of a
// ratio: Sasabuchi 1988).

/// Result of the tests of mean(a) / mean(b) against the range from `low` to `high`.
struct RatioRange {
    double ratio = 0;
    /// p of the hypothesis that the ratio is `low` or less, or `high` or more: the larger of the two one-sided p
    /// values. A small p shows that the ratio is inside the range.
    double p_inside = 1;
    /// p of the hypothesis that the ratio is inside the range: twice the smaller of the one-sided p values of "above
    /// high" and "below low", at most 1. A small p shows that the ratio is outside the range.
    double p_outside = 1;
    /// Fieller's interval of the ratio with the confidence 1 − alpha; nullopt if it is not bounded, because mean(b)
    /// does not differ significantly from 0.
    std::optional<double> interval_low, interval_high;
    double degrees_of_freedom = 0;
};

/// Tests the ratio of paired values (a[i], b[i]). Pairs with a value that is not finite are excluded. Returns nullopt
/// for fewer than two pairs, if mean(b) is not positive, or if a[i] − r·b[i] is the same for all pairs at an end r of
/// the range. Throws BadInput unless 0 <= low < high.
std::optional<RatioRange> paired_ratio_range(std::span<const double> a, std::span<const double> b, double low,
                                             double high, double alpha = 0.05);
/// Tests the ratio of the means of two independent samples with separate variances and the degrees of freedom of Welch
/// and Satterthwaite (for the interval: those at the observed ratio). Returns nullopt and throws as
/// paired_ratio_range does.
std::optional<RatioRange> welch_ratio_range(const Sample& a, const Sample& b, double low, double high,
                                            double alpha = 0.05);

}  // namespace ropelab
