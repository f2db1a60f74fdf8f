#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace ropelab {

/// A quantity is NaN if the sample has too few values for it.
struct Description {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t n = 0;                   // number of finite values
    double mean = unknown;                // needs n ≥ 1
    double standard_deviation = unknown;  // sample standard deviation, with n − 1 (formula 37); needs n ≥ 2
    double minimum = unknown;
    double maximum = unknown;
    double standard_error = unknown;  // standard deviation / √n
    /// 95 % interval of the mean, from Student's t distribution with n − 1 degrees of freedom; needs n ≥ 2.
    double confidence_low = unknown;
    double confidence_high = unknown;
};

/// Infinite values and NaN (a run that diverged) are excluded and not counted in `n`.
Description describe(std::span<const double> values);

/// NaN if there is none.
struct Interval {
    double low = Description::unknown;
    double high = Description::unknown;
};
/// The confidence is 95 %.
struct IntervalEstimate {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// 0.975 quantile.
double t_quantile(double degrees_of_freedom);
/// Mean ± t · standard error, two-sided; NaN if `degrees` (of freedom) is below 1. For m intervals that hold together
/// with 95 % confidence, the confidence of each is 1 − 0.05/m (Bonferroni's correction).
Interval mean_interval(double mean, double standard_error, std::int64_t degrees, double confidence);
/// The confidence is 95 %.
Interval mean_interval(double mean, double standard_error, std::int64_t degrees);
/// Mean of shares of n = degrees + 1 units, cut off at 0 and 1. If all shares are 0 or all are 1, it is the exact
/// binomial interval (Clopper and Pearson) of 0 or n successes.
Interval share_interval(double share, double standard_error, std::int64_t degrees);

}  // namespace ropelab
