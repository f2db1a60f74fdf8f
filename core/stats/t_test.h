#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/descriptive.h"

namespace ropelab {

/// Result of a two-tailed t test (formula 37).
struct TTest {
    double t = 0;  // test statistic
    double degrees_of_freedom = 0;
    double p = 1;  // two-tailed
};

/// Summary statistics of a sample, as in a paper: mean ± sample standard deviation of n values.
struct Sample {
    std::int64_t n = 0;
    double mean = 0;
    double standard_deviation = 0;
};
Sample sample_of(std::span<const double> values);

/// Standard error of mean(a) − mean(b) with its degrees of freedom.
struct DifferenceError {
    double standard_error = 0;      // in the unit of the samples
    double degrees_of_freedom = 0;  // those of Welch and Satterthwaite are no whole number in general
};
/// Return the error from the pooled variance, or from separate variances (formula 37); nullopt if a sample has fewer
/// than two values or both standard deviations are 0.
std::optional<DifferenceError> student_error(const Sample& a, const Sample& b);
std::optional<DifferenceError> welch_error(const Sample& a, const Sample& b);

// The tests return nullopt if all values are equal, because such values are copies and not independent measurements,
// for which p = 0 would be wrong. The sign of t is the sign of mean(a) − mean(b).

/// Returns the result of Student's t test with the pooled variance (for populations of equal variance). Returns nullopt
/// if a sample has fewer than two values or both standard deviations are 0.
std::optional<TTest> student_t_test(const Sample& a, const Sample& b);

/// Returns the result of Welch's t test with separate variances and the degrees of freedom of Welch and Satterthwaite.
/// Returns nullopt if a sample has fewer than two values or both standard deviations are 0.
std::optional<TTest> welch_t_test(const Sample& a, const Sample& b);

/// Returns the result of the paired t test of the pairs (a[i], b[i]), such as two runs of equal seed. Pairs with a
/// value that is not finite are excluded. Returns nullopt if there are fewer than two pairs or all differences are
/// equal. Throws BadInput if the lengths differ.
std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b);
/// Returns the differences a[i] − b[i] of the pairs with two finite values. Throws BadInput if the lengths differ.
std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b);

// Statistical power of t tests for a given number of seeds. With a true difference, the t statistic follows the
// noncentral t distribution, whose noncentrality is the difference divided by its standard error.

/// Upper limit of every search for a number of seeds.
inline constexpr std::int64_t max_seeds = 10'000;
/// Returns the smallest number of seeds from 2 to max_seeds for which `is_enough` returns true, found by bisection;
/// nullopt if there is none. If `is_enough` is not monotonic, the result is a number for which it returns true while it
/// returns false for the number below.
std::optional<std::int64_t> fewest_seeds(const std::function<bool(std::int64_t)>& is_enough);

/// Significance level and power that a test must have.
struct PowerRule {
    double alpha = 0.05;  // two-sided significance level
    double power = 0.8;   // probability that the test detects a true difference
};

/// Returns the power of a two-sided t test at level `alpha`: the probability that it detects a true difference of
/// `noncentrality` standard errors. Throws BadInput unless degrees_of_freedom > 0 and 0 < alpha < 1.
double t_test_power(double noncentrality, double degrees_of_freedom, double alpha = 0.05);

/// Returns the smallest difference of two means that Student's t test detects with the power `rule.power`, in the unit
/// of the samples. It uses the pooled standard deviation. Returns nullopt if a sample has fewer than two values or the
/// standard deviation is 0.
std::optional<double> detectable_difference(const Sample& a, const Sample& b, const PowerRule& rule = {});
/// Returns the smallest difference of two means that Welch's t test detects with the power `rule.power`, in the unit of
/// the samples. It uses the groups' own standard deviations and the degrees of freedom of Welch and Satterthwaite.
/// Returns nullopt as detectable_difference does.
std::optional<double> detectable_difference_welch(const Sample& a, const Sample& b, const PowerRule& rule = {});
/// Returns the smallest mean difference that the paired t test detects with the power `rule.power`. `differences` is
/// the sample of the differences within pairs. Returns nullopt for fewer than two pairs or if their standard deviation
/// is 0.
std::optional<double> detectable_difference_of_pairs(const Sample& differences, const PowerRule& rule = {});

/// Returns the smallest number of seeds per group with which Student's t test detects `difference` with the power
/// `rule.power`, if both groups have the given standard deviation. Returns nullopt if more than 10,000 seeds are
/// needed, or if the difference or the standard deviation is 0 or not finite.
std::optional<std::int64_t> seeds_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});
/// Returns the smallest number of seeds per group with which Welch's t test detects `difference` with the power
/// `rule.power`, if the groups have the standard deviations `a` and `b`. Returns nullopt as seeds_to_detect does.
std::optional<std::int64_t> seeds_to_detect_welch(double difference, double a, double b, const PowerRule& rule = {});

// Tests of equivalence: two one-sided t tests (TOST; Schuirmann 1987) show that two means differ by less than a margin
// that was chosen beforehand. A difference that is merely not significant does not show equivalence.

/// Result of the two one-sided t tests of mean(a) − mean(b) against −margin and +margin.
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

/// Tests the equivalence of two independent samples with separate variances, as welch_t_test does. Returns nullopt if a
/// sample has fewer than two finite values or the standard error is 0. Throws BadInput unless margin > 0.
std::optional<Equivalence> welch_equivalence(const Sample& a, const Sample& b, double margin);
/// Tests the equivalence of paired values (a[i], b[i]), as paired_t_test does. Pairs with a value that is not finite
/// are excluded. Returns nullopt for fewer than two pairs or if the standard error is 0. Throws BadInput unless margin
/// > 0.
std::optional<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b, double margin);

/// Design of a comparison over seeds: `paired` compares runs of equal seed, `groups` compares two independent groups.
enum class SeedDesign { paired, groups };

/// Returns the power of the equivalence test: the probability that both one-sided tests at level `alpha` reject, for a
/// true `difference` and a standard deviation (of the differences within pairs, or of each group) over `seeds` seeds.
/// It is computed from the two noncentral t probabilities; the result is too low by at most the probability that
/// neither test rejects. Returns 0 for fewer than two seeds.
double equivalence_power(double margin, double difference, double standard_deviation, std::int64_t seeds,
                         SeedDesign design, double alpha = 0.05);

/// Returns the smallest number of seeds (per group) with which the equivalence test has the power `rule.power`, for a
/// true `difference`. Returns nullopt if the difference is not within the margin, if the standard deviation is 0 or not
/// finite, or if more than 10,000 seeds are needed.
std::optional<std::int64_t> seeds_to_show_equivalence(double margin, double difference, double standard_deviation,
                                                      SeedDesign design, const PowerRule& rule = {});

/// Returns the smallest number of pairs with which the paired t test detects `difference` with the power `rule.power`.
/// `standard_deviation` is that of the differences within pairs. Returns nullopt as seeds_to_detect does.
std::optional<std::int64_t> pairs_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});

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

/// Returns p values after Holm's step-down correction for multiple comparisons (formula 37), in the same order. A
/// corrected value is at most 1 and never below the raw one. Missing values stay missing and do not count as
/// comparisons.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

}  // namespace ropelab
