#include "core/stats/ratio.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

// Variances and covariance of the two means.
struct MeanVariances {
    double a = 0, b = 0, covariance = 0;

    // Returns the variance of mean(a) − ratio·mean(b).
    double at(double ratio) const { return a - 2 * ratio * covariance + ratio * ratio * b; }
};

using FreedomAt = std::function<double(double ratio)>;

// Solves |mean(a) − r·mean(b)| = t·error(r) for r.
std::optional<std::pair<double, double>> fieller(double mean_a, double mean_b, const MeanVariances& variances,
                                                 double t) {
    const double square = mean_b * mean_b - t * t * variances.b;
    if (!(square > 0)) return std::nullopt;
    const double middle = mean_a * mean_b - t * t * variances.covariance;
    const double constant = mean_a * mean_a - t * t * variances.a;
    const double root = std::sqrt(std::max(0.0, middle * middle - square * constant));
    return std::pair{(middle - root) / square, (middle + root) / square};
}

std::optional<RatioRange> ratio_range(double mean_a, double mean_b, const MeanVariances& variances,
                                      const FreedomAt& freedom, double low, double high, double alpha) {
    if (!(mean_b > 0) || !(variances.at(low) > 0) || !(variances.at(high) > 0)) return std::nullopt;
    // Returns the one-sided p of the hypothesis that mean(a) − ratio·mean(b) is at most 0 (sign 1) or at least 0 (−1).
    const auto p_of_side = [&](double ratio, double sign) {
        const double t = sign * (mean_a - ratio * mean_b) / std::sqrt(variances.at(ratio));
        return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom(ratio)), t));
    };
    RatioRange result;
    result.ratio = mean_a / mean_b;
    result.p_inside = std::max(p_of_side(low, 1), p_of_side(high, -1));
    result.p_outside = std::min(1.0, 2 * std::min(p_of_side(low, -1), p_of_side(high, 1)));
    result.degrees_of_freedom = freedom(result.ratio);
    const double t =
        boost::math::quantile(boost::math::complement(boost::math::students_t(result.degrees_of_freedom), alpha / 2));
    if (const auto interval = fieller(mean_a, mean_b, variances, t)) {
        result.interval_low = interval->first;
        result.interval_high = interval->second;
    }
    return result;
}

void check_range(double low, double high) {
    if (low >= 0 && low < high && std::isfinite(high)) return;
    throw BadInput("The range of a ratio is " + number_text(low) + " to " + number_text(high) +
                   ", but it must start at 0 or more and end above its start.");
}

}  // namespace

std::optional<RatioRange> paired_ratio_range(std::span<const double> a, std::span<const double> b, double low,
                                             double high, double alpha) {
    check_range(low, high);
    std::vector<double> with, without, differences = paired_differences(a, b);  // checks the lengths
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
        with.push_back(a[i]);
        without.push_back(b[i]);
    }
    const auto n = static_cast<double>(with.size());
    if (n < 2) return std::nullopt;
    const auto square = [](double x) { return x * x; };
    const double variance_a = square(sample_of(with).standard_deviation);
    const double variance_b = square(sample_of(without).standard_deviation);
    const double covariance = (variance_a + variance_b - square(sample_of(differences).standard_deviation)) / 2;
    const MeanVariances variances{variance_a / n, variance_b / n, covariance / n};
    return ratio_range(
        sample_of(with).mean, sample_of(without).mean, variances, [n](double) { return n - 1; }, low, high, alpha);
}

std::optional<RatioRange> welch_ratio_range(const Sample& a, const Sample& b, double low, double high, double alpha) {
    check_range(low, high);
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const MeanVariances variances{a.standard_deviation * a.standard_deviation / static_cast<double>(a.n),
                                  b.standard_deviation * b.standard_deviation / static_cast<double>(b.n), 0};
    const auto freedom = [&](double ratio) {
        const double of_b = ratio * ratio * variances.b;
        return variances.at(ratio) * variances.at(ratio) /
               (variances.a * variances.a / static_cast<double>(a.n - 1) + of_b * of_b / static_cast<double>(b.n - 1));
    };
    return ratio_range(a.mean, b.mean, variances, freedom, low, high, alpha);
}

}  // namespace ropelab
