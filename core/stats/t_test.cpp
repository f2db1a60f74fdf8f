#include "core/stats/t_test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/spec/error.h"

namespace ropelab {

namespace {

// Computes the t test of a difference with the standard error `error`. `scale` is the magnitude of the numbers that
// were subtracted. An error below their rounding errors counts as 0; R's t.test uses the same limit.
std::optional<TTest> t_test(double difference, double error, double degrees_of_freedom, double scale) {
    const double rounding = 10 * std::numeric_limits<double>::epsilon() * scale;
    if (!std::isfinite(difference) || !std::isfinite(error) || error <= rounding) return std::nullopt;
    TTest result;
    result.t = difference / error;
    result.degrees_of_freedom = degrees_of_freedom;
    const boost::math::students_t distribution(degrees_of_freedom);
    result.p = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(result.t))));
    return result;
}

double scale_of(const Sample& a, const Sample& b) {
    return std::max(std::abs(a.mean), std::abs(b.mean));
}

}  // namespace

Sample sample_of(std::span<const double> values) {
    const Description description = describe(values);
    return {description.n, description.mean, description.standard_deviation};
}

double standard_error_of_difference(const Sample& a, const Sample& b) {
    if (a.n < 2 || b.n < 2) return Description::unknown;
    const double na = static_cast<double>(a.n);
    const double nb = static_cast<double>(b.n);
    const double pooled = ((na - 1) * a.standard_deviation * a.standard_deviation +
                           (nb - 1) * b.standard_deviation * b.standard_deviation) /
                          (na + nb - 2);
    return std::sqrt(pooled * (1 / na + 1 / nb));
}

std::optional<TTest> student_t_test(const Sample& a, const Sample& b) {
    if (a.n < 2 || b.n < 2) return std::nullopt;
    return t_test(a.mean - b.mean, standard_error_of_difference(a, b), static_cast<double>(a.n + b.n - 2),
                  scale_of(a, b));
}

std::optional<TTest> student_t_test(std::span<const double> a, std::span<const double> b) {
    return student_t_test(sample_of(a), sample_of(b));
}

std::optional<DifferenceError> welch_error(const Sample& a, const Sample& b) {
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const double na = static_cast<double>(a.n);
    const double nb = static_cast<double>(b.n);
    const double ea = a.standard_deviation * a.standard_deviation / na;
    const double eb = b.standard_deviation * b.standard_deviation / nb;
    if (!(ea + eb > 0)) return std::nullopt;
    // Fractions of the sum are used, because squares of tiny variances would underflow.
    const double fraction_a = ea / (ea + eb);
    const double fraction_b = eb / (ea + eb);
    const double freedom = 1 / (fraction_a * fraction_a / (na - 1) + fraction_b * fraction_b / (nb - 1));
    return DifferenceError{std::sqrt(ea + eb), freedom};
}

std::optional<TTest> welch_t_test(const Sample& a, const Sample& b) {
    const auto error = welch_error(a, b);
    if (!error) return std::nullopt;
    return t_test(a.mean - b.mean, error->standard_error, error->degrees_of_freedom, scale_of(a, b));
}

std::optional<TTest> welch_t_test(std::span<const double> a, std::span<const double> b) {
    return welch_t_test(sample_of(a), sample_of(b));
}

std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) {
        throw BadInput("A paired t test needs samples of equal length, but these have " + std::to_string(a.size()) +
                       " and " + std::to_string(b.size()) + " values.");
    }
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) differences.push_back(a[i] - b[i]);
    }
    return differences;
}

std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b) {
    const Sample sample = sample_of(paired_differences(a, b));
    double scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) scale = std::max({scale, std::abs(a[i]), std::abs(b[i])});
    }
    if (sample.n < 2) return std::nullopt;
    const double n = static_cast<double>(sample.n);
    return t_test(sample.mean, sample.standard_deviation / std::sqrt(n), n - 1, scale);
}

}  // namespace ropelab
