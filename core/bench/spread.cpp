#include "core/bench/spread.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace ropelab::bench {

namespace {

double quantile(const std::vector<double>& sorted, double probability) {
    const double at = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

}  // namespace

Spread spread_of(std::span<const double> values) {
    if (values.empty()) throw std::invalid_argument("A spread needs at least one value.");
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return {sorted.size(),          quantile(sorted, 0.5), quantile(sorted, 0.25),
            quantile(sorted, 0.75), sorted.front(),        sorted.back()};
}

Spread speed_of(std::span<const double> seconds, double numerator) {
    std::vector<double> speeds;
    for (double value : seconds) speeds.push_back(numerator / value);
    return spread_of(speeds);
}

Spread ratio_of(std::span<const double> numerators, std::span<const double> denominators) {
    if (numerators.size() != denominators.size()) {
        throw std::invalid_argument("A ratio needs as many numerators as denominators.");
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < numerators.size(); ++i) ratios.push_back(numerators[i] / denominators[i]);
    return spread_of(ratios);
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::vector<double>> measure_alternately(const std::vector<std::function<void()>>& alternatives,
                                                     const MeasurementLimits& patience, const Cancelled& cancelled) {
    std::vector<std::vector<double>> seconds(alternatives.size());
    double spent = 0;
    for (int round = -1; round < patience.most; ++round) {
        if (round >= patience.least && spent >= patience.seconds) break;
        for (std::size_t i = 0; i < alternatives.size(); ++i) {
            if (cancelled && cancelled()) throw std::runtime_error("The measurement was cancelled.");
            const double duration = seconds_of(alternatives[i]);
            spent += duration;
            if (round >= 0) seconds[i].push_back(duration);
        }
    }
    return seconds;
}

}  // namespace ropelab::bench
