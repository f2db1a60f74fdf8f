#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/stats/t_test.h"

namespace ropelab {

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

}  // namespace ropelab
