#include "core/stats/resampling.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "core/base/random_stream.h"

namespace ropelab {

namespace {

constexpr std::size_t most_counted = 16;
constexpr std::uint64_t samples = 1 << most_counted;
constexpr std::uint64_t resamples = 9999;
constexpr double tolerance = 1e-12;  // relative: sums of equal terms may differ by rounding

// Calls `visit` with the sum and the number of the differences with a minus sign; returns the number of calls. Counted
// signs contain the observed ones; sampled signs count these once more (Phipson & Smyth 2010).
template <typename Visit>
std::uint64_t for_each_part(std::span<const double> values, const Visit& visit) {
    const bool counts = values.size() <= most_counted;
    const std::uint64_t all = counts ? std::uint64_t{1} << values.size() : samples;
    const RandomStream stream(static_cast<std::int64_t>(values.size()), "sign flips");
    for (std::uint64_t i = 0; i < all; ++i) {
        double sum = 0;
        std::size_t flipped = 0;
        for (std::size_t j = 0; j < values.size(); ++j) {
            if (!(counts ? (i >> j) & 1 : stream.below(2, i, j) == 1)) continue;
            sum += values[j];
            ++flipped;
        }
        visit(sum, flipped);
    }
    if (!counts) visit(0.0, std::size_t{0});
    return counts ? all : all + 1;
}

}  // namespace

double sign_flip_p(std::span<const double> differences) {
    if (differences.empty()) return 1;
    const double total = std::accumulate(differences.begin(), differences.end(), 0.0);
    double scale = 0;
    for (const double each : differences) scale += std::abs(each);
    std::uint64_t extreme = 0;
    const std::uint64_t all = for_each_part(differences, [&](double sum, std::size_t) {
        if (std::abs(total - 2 * sum) >= std::abs(total) - tolerance * scale) ++extreme;
    });
    return static_cast<double>(extreme) / static_cast<double>(all);
}

Interval sign_flip_interval(std::span<const double> differences, double confidence) {
    const double total = std::accumulate(differences.begin(), differences.end(), 0.0);
    std::vector<double> lower, upper;  // of the means of the two parts
    std::uint64_t whole = 0;           // one part is empty, so that every shift lies between them
    const std::uint64_t all = for_each_part(differences, [&](double sum, std::size_t flipped) {
        if (flipped == 0 || flipped == differences.size()) {
            ++whole;
            return;
        }
        const double a = sum / static_cast<double>(flipped);
        const double b = (total - sum) / static_cast<double>(differences.size() - flipped);
        lower.push_back(std::min(a, b));
        upper.push_back(std::max(a, b));
    });
    const double level = (1 - confidence) * static_cast<double>(all);
    // A shift is rejected if at most this many partitions have their means on both sides of it.
    const double left = std::floor(level * (1 + tolerance)) - static_cast<double>(whole);
    if (differences.size() < 2 || left < 0 || left >= static_cast<double>(upper.size())) return {};
    const auto place = static_cast<std::ptrdiff_t>(left);
    std::nth_element(upper.begin(), upper.begin() + place, upper.end(), std::greater<>());
    std::nth_element(lower.begin(), lower.begin() + place, lower.end());
    return {lower[static_cast<std::size_t>(place)], upper[static_cast<std::size_t>(place)]};
}

Interval bootstrap_interval(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (values.size() < 2 || *least == *most) return {};
    const double total = std::accumulate(values.begin(), values.end(), 0.0);
    const RandomStream stream(static_cast<std::int64_t>(values.size()), "bootstrap");
    std::vector<double> means;
    for (std::uint64_t i = 0; i < resamples; ++i) {
        double sum = 0;
        for (std::uint64_t j = 0; j < values.size(); ++j) sum += values[stream.below(values.size(), i, j)];
        means.push_back(sum / n);
    }
    std::ranges::sort(means);
    // Ties count half, as in SciPy.
    const double mean = total / n, around = tolerance * std::max(std::abs(*least), std::abs(*most));
    const auto below = std::ranges::lower_bound(means, mean - around) - means.begin();
    const auto up_to = std::ranges::upper_bound(means, mean + around) - means.begin();
    const boost::math::normal normal;
    const double bias = boost::math::quantile(
        normal, std::clamp(static_cast<double>(below + up_to) / (2 * static_cast<double>(resamples)),
                           1 / static_cast<double>(resamples), 1 - 1 / static_cast<double>(resamples)));
    double squares = 0, cubes = 0;  // of the jackknife, whose means differ from their mean by (mean − value)/(n − 1)
    for (const double value : values) {
        const double difference = (value - mean) / (n - 1);
        squares += difference * difference;
        cubes += difference * difference * difference;
    }
    const double acceleration = cubes / (6 * std::pow(squares, 1.5));
    const auto end = [&](double probability) {
        const double z = bias + boost::math::quantile(normal, probability);
        const double place =
            boost::math::cdf(normal, bias + z / (1 - acceleration * z)) * static_cast<double>(resamples - 1);
        const auto left = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(resamples - 1)));
        const std::size_t right = std::min<std::size_t>(left + 1, resamples - 1);
        return means[left] + (place - static_cast<double>(left)) * (means[right] - means[left]);
    };
    return {end(0.025), end(0.975)};
}

}  // namespace ropelab
