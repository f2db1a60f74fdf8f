#include "core/stats/descriptive.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ropelab {

namespace {

// 0.975 of Student's t distribution. Samples of one size come in rows of thousands, one at every step of a training.
double reach_of(std::int64_t degrees) {
    thread_local std::int64_t known = 0;
    thread_local double reach = 0;
    if (degrees != known) {
        reach = boost::math::quantile(boost::math::students_t(static_cast<double>(degrees)), 0.975);
        known = degrees;
    }
    return reach;
}

}  // namespace

Description describe(std::span<const double> values) {
    Description result;
    double mean = 0;
    double squares = 0;
    // Welford's recurrence: a large common offset does not eat the digits of the spread, and equal values spread by 0.
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
    const double reach = reach_of(result.n - 1) * result.standard_error;
    result.confidence_low = mean - reach;
    result.confidence_high = mean + reach;
    return result;
}

}  // namespace ropelab
