#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/rope/context.h"

namespace ropelab::bench {

struct Spread {
    std::size_t repetitions = 0;
    double median = 0;
    double lower = 0;  // first quartile
    double upper = 0;  // third quartile
    double minimum = 0;
    double maximum = 0;
};

/// Quantiles are interpolated linearly between the sorted values. Throws std::invalid_argument if there are no values.
Spread spread_of(std::span<const double> values);
/// `numerator` divided by each of `seconds`, which must be positive.
Spread speed_of(std::span<const double> seconds, double numerator);
/// numerators[i] / denominators[i]. The two measurements of a pair should be made directly after one another, so that a
/// disturbance of both cancels. Throws std::invalid_argument for unequal lengths.
Spread ratio_of(std::span<const double> numerators, std::span<const double> denominators);

/// Number and duration of the rounds in which alternatives are measured.
struct MeasurementLimits {
    int least = 5;        // minimum number of rounds
    int most = 15;        // maximum number of rounds
    double seconds = 10;  // time limit; no round begins after it, except for the minimum number
    /// Seconds of one alternative per round; short alternatives are repeated within a round.
    double round_seconds = 0.15;
};

/// A B C A B C …, so that a disturbance affects all. The first round is not counted. Seconds of each alternative in
/// each round. Throws std::runtime_error if `cancelled`, which is called between measurements, returned true.
std::vector<std::vector<double>> measure_alternately(const std::vector<std::function<void()>>& alternatives,
                                                     const MeasurementLimits& patience,
                                                     const Cancelled& cancelled = {});

double seconds_of(const std::function<void()>& work);

}  // namespace ropelab::bench
