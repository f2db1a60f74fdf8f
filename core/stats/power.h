#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/stats/t_test.h"

namespace ropelab {

// What a number of seeds can show at all. The t statistic of a true difference follows the noncentral t distribution;
// its noncentrality is the difference over its standard error.

/// The most seeds that any search goes to.
inline constexpr std::int64_t most_seeds = 10'000;
/// The smallest number of seeds, 2 to most_seeds, that `does` what is asked, and with it every larger number; nullopt
/// where none does. Where larger numbers may fail again, a number that does while one shortly below it does not.
std::optional<std::int64_t> fewest_seeds(const std::function<bool(std::int64_t)>& does);

/// How sure a test has to be, and how often it should find what is there.
struct PowerRule {
    double alpha = 0.05;  // two-sided
    double power = 0.8;
};

/// Chance that a two-sided t test at level `alpha` finds a difference of `noncentrality` standard errors. Throws
/// BadInput unless degrees_of_freedom > 0 and 0 < alpha < 1.
double t_test_power(double noncentrality, double degrees_of_freedom, double alpha = 0.05);

/// The smallest difference of two means that Student's test finds with the rule's power, from the pooled standard
/// deviation; in the samples' unit. nullopt for fewer than two values in a sample, or no spread.
std::optional<double> detectable_difference(const Sample& a, const Sample& b, const PowerRule& rule = {});
/// The same for the paired test, of the differences within pairs.
std::optional<double> detectable_difference_of_pairs(const Sample& differences, const PowerRule& rule = {});

/// The smallest number of seeds in each of two groups that makes Student's test find `difference` with the rule's
/// power, where both spread by `standard_deviation`. nullopt where that takes more than 10,000, or for a difference or
/// a spread that is 0 or not finite.
std::optional<std::int64_t> seeds_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});

}  // namespace ropelab
