#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace ropelab {

/// What a sample of numbers looks like. NaN where the sample is too small to say.
struct Description {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t n = 0;                   // finite values
    double mean = unknown;                // n ≥ 1
    double standard_deviation = unknown;  // of the sample, over n − 1 (F37); n ≥ 2
    double minimum = unknown;
    double maximum = unknown;
    double standard_error = unknown;  // standard deviation / √n
    /// The mean's 95 % confidence interval, from Student's t distribution with n − 1 degrees of freedom; n ≥ 2.
    double confidence_low = unknown;
    double confidence_high = unknown;
};

/// Describes the finite values; the others (a run that diverged) are left out, which `n` shows.
Description describe(std::span<const double> values);

}  // namespace ropelab
