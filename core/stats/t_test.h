#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/descriptive.h"

namespace ropelab {

/// Two-tailed (formula 37).
struct TTest {
    double t = 0;  // test statistic
    double degrees_of_freedom = 0;
    double p = 1;  // two-tailed
};

/// mean ± sample standard deviation of n values.
struct Sample {
    std::int64_t n = 0;
    double mean = 0;
    double standard_deviation = 0;
};
Sample sample_of(std::span<const double> values);

/// For mean(a) − mean(b), with its degrees of freedom.
struct DifferenceError {
    double standard_error = 0;      // in the unit of the samples
    double degrees_of_freedom = 0;  // those of Welch and Satterthwaite are no whole number in general
};
/// Pooled or separate variances (formula 37); nullopt for fewer than two values or if both deviations are 0.
std::optional<DifferenceError> student_error(const Sample& a, const Sample& b);
std::optional<DifferenceError> welch_error(const Sample& a, const Sample& b);

// The tests return nullopt if all values are equal, because such values are copies and not independent measurements,
// for which p = 0 would be wrong. The sign of t is the sign of mean(a) − mean(b).

/// Pooled variance. nullopt if a sample has fewer than two values or both standard deviations are 0.
std::optional<TTest> student_t_test(const Sample& a, const Sample& b);

/// Separate variances, with the degrees of freedom of Welch and Satterthwaite. nullopt as student_t_test.
std::optional<TTest> welch_t_test(const Sample& a, const Sample& b);

/// Pairs (a[i], b[i]), such as runs of equal seed. Those with a value that is not finite are excluded. nullopt if there
/// are fewer than two pairs or all differences are equal. Throws BadInput if the lengths differ.
std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b);
/// a[i] − b[i] of the pairs with two finite values. Throws BadInput if the lengths differ.
std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b);

// A true difference gives a noncentral t distribution; noncentrality: difference / standard error.

/// Upper limit of every search.
inline constexpr std::int64_t max_seeds = 10'000;
/// From 2 to max_seeds, by bisection around a guess; nullopt if `is_enough` is never true. If `is_enough` is not
/// monotonic, the result is a number for which it returns true while it returns false for the number below.
std::optional<std::int64_t> fewest_seeds(const std::function<bool(std::int64_t)>& is_enough, double guess = 2);

struct PowerRule {
    double alpha = 0.05;  // two-sided significance level
    double power = 0.8;   // probability that the test detects a true difference
};

/// Two-sided, true difference of `noncentrality` standard errors. BadInput unless freedom > 0 and 0 < alpha < 1.
double t_test_power(double noncentrality, double degrees_of_freedom, double alpha = 0.05);

/// Ends of the 95 % confidence interval of a standard deviation, divided by the observed one (χ² distribution).
std::pair<double, double> deviation_factors(double degrees_of_freedom);

/// Smallest difference for Student's t test, in the unit of the samples, with the pooled deviation. nullopt if a sample
/// has fewer than two values or the standard deviation is 0.
std::optional<double> detectable_difference(const Sample& a, const Sample& b, const PowerRule& rule = {});
/// Welch's t test (degrees of freedom: Welch and Satterthwaite). nullopt as detectable_difference.
std::optional<double> detectable_difference_welch(const Sample& a, const Sample& b, const PowerRule& rule = {});
/// Paired t test, from the differences within pairs. nullopt for fewer than two pairs or if their deviation is 0.
std::optional<double> detectable_difference_of_pairs(const Sample& differences, const PowerRule& rule = {});

/// Seeds per group for Student's t test, if both groups have this deviation. nullopt if more than 10,000 are needed, or
/// if the difference or the deviation is 0 or not finite.
std::optional<std::int64_t> seeds_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});
/// Seeds per group for Welch's t test and the standard deviations `a` and `b`. nullopt as seeds_to_detect.
std::optional<std::int64_t> seeds_to_detect_welch(double difference, double a, double b, const PowerRule& rule = {});

// Two one-sided t tests (TOST; Schuirmann 1987) show that two means differ by less than a margin that was chosen
// beforehand. A difference that is merely not significant does not show equivalence.

/// mean(a) − mean(b) against −margin and +margin.
struct Equivalence {
    double difference = 0;  // mean(a) − mean(b)
    double standard_error = 0;
    double degrees_of_freedom = 0;
    double p_low = 1;   // p of the hypothesis that the difference is −margin or less
    double p_high = 1;  // p of the hypothesis that the difference is +margin or more
    double p = 1;       // p of the equivalence test: the larger of p_low and p_high
    /// One-sided p of the hypothesis that the difference, on the side of the observed one, is within the margin. A
    /// small p shows that the difference exceeds the margin.
    double p_beyond = 1;
    /// p of the hypothesis that the difference is within the margin on both sides: 2·p_beyond, at most 1 (Bonferroni's
    /// correction for the two sides, so that the level is nominal at every margin). A test of the observed side alone
    /// rejects twice as often at small margins.
    double p_outside = 1;
};

/// As welch_t_test. nullopt for fewer than two values or a standard error of 0. Throws BadInput unless margin > 0.
std::optional<Equivalence> welch_equivalence(const Sample& a, const Sample& b, double margin);
/// Pairs (a[i], b[i]), without those with a value that is not finite. nullopt for fewer than two pairs or if the
/// standard error is 0. Throws BadInput unless margin > 0.
std::optional<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b, double margin);

enum class SeedDesign { paired, groups };

/// The probability that both one-sided tests at level `alpha` reject, for a true `difference` and a standard deviation
/// (of the differences within pairs, or of each group) over `seeds` seeds. From two noncentral t probabilities, too low
/// by at most the probability that neither rejects. 0 for one seed.
double equivalence_power(double margin, double difference, double standard_deviation, std::int64_t seeds,
                         SeedDesign design, double alpha = 0.05);

/// Seeds (per group) for a true `difference`. nullopt if the difference is not within the margin, if the standard
/// deviation is 0 or not finite, or if more than 10,000 seeds are needed.
std::optional<std::int64_t> seeds_to_show_equivalence(double margin, double difference, double standard_deviation,
                                                      SeedDesign design, const PowerRule& rule = {});

/// For the paired t test; `standard_deviation` is that of the differences within pairs. nullopt as seeds_to_detect.
std::optional<std::int64_t> pairs_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});

// Ratios of means, such as "about half the speed": 0.4 to 0.6. A ratio is above r exactly if mean(a) − r·mean(b) is
// above 0, which a t test decides (Fieller 1954; two one-sided tests of a ratio: Sasabuchi 1988).

/// mean(a) / mean(b) against the range from `low` to `high`.
struct RatioRange {
    double ratio = 0;
    /// p of the hypothesis that the ratio is `low` or less, or `high` or more: the larger of the two one-sided p
    /// values. A small p shows that the ratio is inside the range.
    double p_inside = 1;
    /// p of the hypothesis that the ratio is inside the range: twice the smaller of the one-sided p values of "above
    /// high" and "below low", at most 1. A small p shows that the ratio is outside the range.
    double p_outside = 1;
    /// Fieller's (1 − alpha); nullopt if unbounded, because mean(b) does not differ significantly from 0.
    std::optional<double> interval_low, interval_high;
    double degrees_of_freedom = 0;
};

/// Only pairs of finite values. nullopt for fewer than two pairs, if mean(b) is not positive, or if a[i] − r·b[i] is
/// the same for all pairs at an end r of the range. Throws BadInput unless 0 <= low < high.
std::optional<RatioRange> paired_ratio_range(std::span<const double> a, std::span<const double> b, double low,
                                             double high, double alpha = 0.05);
/// Welch and Satterthwaite (interval: at the observed ratio). nullopt and errors as paired_ratio_range.
std::optional<RatioRange> welch_ratio_range(const Sample& a, const Sample& b, double low, double high,
                                            double alpha = 0.05);

/// Step-down correction (formula 37), in the same order. A corrected value is at most 1 and never below the raw one.
/// Missing values stay missing and do not count as comparisons.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

}  // namespace ropelab
