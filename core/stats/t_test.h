#pragma once

#include <cstdint>
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
/// Returns the summary statistics of the finite values.
Sample sample_of(std::span<const double> values);

/// Returns the standard error of mean(a) − mean(b), from the pooled variance; NaN if a sample has fewer than two
/// values.
double standard_error_of_difference(const Sample& a, const Sample& b);

// The tests return nullopt if all values are equal, because such values are copies and not independent measurements,
// for which p = 0 would be wrong. The sign of t is the sign of mean(a) − mean(b).

/// Returns the result of Student's t test with the pooled variance (for populations of equal variance). Returns nullopt
/// if a sample has fewer than two values or both standard deviations are 0.
std::optional<TTest> student_t_test(const Sample& a, const Sample& b);
/// Returns the result of Student's t test of the finite values in two lists; nullopt if a list has fewer than two of
/// them or all values of each list are equal.
std::optional<TTest> student_t_test(std::span<const double> a, std::span<const double> b);

/// Standard error of a difference of two means with its degrees of freedom.
struct DifferenceError {
    double standard_error = 0;      // in the unit of the samples
    double degrees_of_freedom = 0;  // of Welch and Satterthwaite; not a whole number in general
};
/// Returns the standard error of mean(a) − mean(b) from separate variances, with the degrees of freedom of Welch's t
/// test (formula 37). Returns nullopt if a sample has fewer than two values or both standard deviations are 0.
std::optional<DifferenceError> welch_error(const Sample& a, const Sample& b);

/// Returns the result of Welch's t test with separate variances and the degrees of freedom of Welch and Satterthwaite.
/// Returns nullopt if a sample has fewer than two values or both standard deviations are 0.
std::optional<TTest> welch_t_test(const Sample& a, const Sample& b);
/// Returns the result of Welch's t test of the finite values in two lists; nullopt if a list has fewer than two of them
/// or all values of each list are equal.
std::optional<TTest> welch_t_test(std::span<const double> a, std::span<const double> b);

/// Returns the result of the paired t test of the pairs (a[i], b[i]), such as two runs of equal seed. Pairs with a
/// value that is not finite are excluded. Returns nullopt if there are fewer than two pairs or all differences are
/// equal. Throws BadInput if the lengths differ.
std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b);
/// Returns the differences a[i] − b[i] of the pairs with two finite values. Throws BadInput if the lengths differ.
std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b);

}  // namespace ropelab
