#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/descriptive.h"

namespace ropelab {

/// A two-tailed t test (F37).
struct TTest {
    double t = 0;
    double degrees_of_freedom = 0;
    double p = 1;  // two-tailed
};

/// Summary statistics, as a paper prints them: mean ± sample standard deviation of n values.
struct Sample {
    std::int64_t n = 0;
    double mean = 0;
    double standard_deviation = 0;
};
Sample sample_of(std::span<const double> values);

/// Of mean(a) − mean(b), from the pooled variance; NaN for fewer than two values in a sample.
double standard_error_of_difference(const Sample& a, const Sample& b);

// Every test is nullopt where it has nothing to say: a sample of fewer than two finite values, or no spread at all
// (copies of one number are not independent measurements, so that p = 0 would be a lie). The sign of t is that of
// mean(a) − mean(b).

/// Student's test with the pooled variance: both populations spread alike.
std::optional<TTest> student_t_test(const Sample& a, const Sample& b);
std::optional<TTest> student_t_test(std::span<const double> a, std::span<const double> b);

/// Welch's test: each population with its own variance; degrees of freedom by Welch and Satterthwaite.
std::optional<TTest> welch_t_test(const Sample& a, const Sample& b);
std::optional<TTest> welch_t_test(std::span<const double> a, std::span<const double> b);

/// The test of pairs (a[i], b[i]), as of runs of equal seed. Pairs with a value that is not finite are left out.
/// Throws BadInput where the lengths differ.
std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b);
/// The differences a[i] − b[i] of pairs with two finite values. Throws BadInput where the lengths differ.
std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b);

}  // namespace ropelab
