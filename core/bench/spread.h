#pragma once

#include <functional>
#include <span>
#include <vector>

namespace ropelab::bench {

/// A measurement that was repeated: the middle, the quartiles around it and the ends, in the unit of the values.
struct Spread {
    std::size_t repetitions = 0;
    double median = 0;
    double lower = 0;  // a quarter of the values is below
    double upper = 0;  // a quarter is above
    double minimum = 0;
    double maximum = 0;
};

/// Quantiles by linear interpolation between the sorted values. Throws std::invalid_argument for no values.
Spread spread_of(std::span<const double> values);
/// The same of `numerator` divided by each value, as of seconds into a speed. The values must be positive.
Spread speed_of(std::span<const double> seconds, double numerator);
/// numerators[i] / denominators[i]: of measurements that were taken one after another, so that what disturbs both drops
/// out. Throws std::invalid_argument for unequal lengths.
Spread ratio_of(std::span<const double> numerators, std::span<const double> denominators);

/// Asked between measurements; true ends them.
using Cancelled = std::function<bool()>;

/// How often and how long alternatives are measured.
struct Patience {
    int least = 5;        // rounds
    int most = 15;        // rounds
    double seconds = 10;  // after which no round begins, once there were enough
    /// What one alternative should take in a round, where it can be repeated within one.
    double round_seconds = 0.15;
};

/// Runs the alternatives in turns (A B C A B C …), the first round to warm up and not counted, so that a disturbance of
/// the machine meets all of them. Returns each one's seconds, round by round. Throws std::runtime_error where
/// cancelled.
std::vector<std::vector<double>> take_turns(const std::vector<std::function<void()>>& alternatives,
                                            const Patience& patience, const Cancelled& cancelled = {});

/// Seconds of one call.
double seconds_of(const std::function<void()>& work);

}  // namespace ropelab::bench
