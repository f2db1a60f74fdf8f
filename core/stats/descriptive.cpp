#include "core/stats/descriptive.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ropelab {

namespace {

// Returns the 0.975 quantile of Student's t distribution. The last result is cached, because a learning curve needs
// thousands of intervals for the same number of seeds.
double t_quantile(std::int64_t degrees) {
    thread_local std::int64_t known = 0;
    thread_local double quantile = 0;
    if (degrees != known) {
        quantile = boost::math::quantile(boost::math::students_t(static_cast<double>(degrees)), 0.975);
        known = degrees;
    }
    return quantile;
}

}  // namespace

Description describe(std::span<const double> values) {
    Description result;
    double mean = 0;
    double squares = 0;
    // Welford's algorithm keeps the deviation accurate if all values have a large common offset. The deviation of equal
    // values is exactly 0.
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
    const double half_width = t_quantile(result.n - 1) * result.standard_error;
    result.confidence_low = mean - half_width;
    result.confidence_high = mean + half_width;
    return result;
}

}  // namespace ropelab
