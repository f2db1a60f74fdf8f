#include "core/stats/descriptive.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ropelab {

double t_quantile(double degrees_of_freedom) {
    // The last result is cached, because a learning curve needs thousands of intervals for the same number of seeds.
    thread_local double known = 0;
    thread_local double quantile = 0;
    if (degrees_of_freedom != known) {
        quantile = boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
        known = degrees_of_freedom;
    }
    return quantile;
}

Description describe(std::span<const double> values) {
    Description result;
    double mean = 0;
    double squares = 0;
    // Welford's algorithm: accurate for values with a large common offset; exactly 0 for equal values.
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        ++result.n;
        const double delta = value - mean;
        mean += delta / static_cast<double>(result.n);
        squares += delta * (value - mean);
        result.minimum = result.n == 1 ? value : std::min(result.minimum, value);
        result.maximum = result.n == 1 ? value : std::max(result.maximum, value);
    }
    if (result.n == 0) return result;
    result.mean = mean;
    if (result.n == 1) return result;
    const double n = static_cast<double>(result.n);
    result.standard_deviation = std::sqrt(squares / (n - 1));
    result.standard_error = result.standard_deviation / std::sqrt(n);
    const Interval interval = mean_interval(mean, result.standard_error, result.n - 1);
    result.confidence_low = interval.low;
    result.confidence_high = interval.high;
    return result;
}

Interval mean_interval(double mean, double standard_error, std::int64_t degrees, double confidence) {
    if (degrees < 1) return {};
    const boost::math::students_t student(static_cast<double>(degrees));
    const double half_width =
        boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2)) * standard_error;
    return {mean - half_width, mean + half_width};
}

Interval mean_interval(double mean, double standard_error, std::int64_t degrees) {
    if (degrees < 1) return {};
    const double half_width = t_quantile(static_cast<double>(degrees)) * standard_error;
    return {mean - half_width, mean + half_width};
}

Interval share_interval(double share, double standard_error, std::int64_t degrees) {
    if (degrees < 1) return {};
    const double end = std::pow(0.025, 1 / static_cast<double>(degrees + 1));
    if (share <= 0) return {0, 1 - end};
    if (share >= 1) return {end, 1};
    const Interval interval = mean_interval(share, standard_error, degrees);
    return {std::max(0.0, interval.low), std::min(1.0, interval.high)};
}

}  // namespace ropelab
