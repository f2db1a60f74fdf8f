#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace ropelab {

/// Descriptive statistics of a sample. A quantity is NaN if the sample has too few values for it.
struct Description {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t n = 0;                   // number of finite values
    double mean = unknown;                // needs n ≥ 1
    double standard_deviation = unknown;  // sample standard deviation, with n − 1 (formula 37); needs n ≥ 2
    double minimum = unknown;
    double maximum = unknown;
    double standard_error = unknown;  // standard deviation / √n
    /// Ends of the 95 % confidence interval of the mean, from Student's t distribution with n − 1 degrees of freedom;
    /// needs n ≥ 2.
    double confidence_low = unknown;
    double confidence_high = unknown;
};

/// Returns the statistics of the finite values. Infinite values and NaN (a run that diverged) are excluded and not
/// counted in `n`.
Description describe(std::span<const double> values);

}  // namespace ropelab
