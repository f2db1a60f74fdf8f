#include "core/study/ablation_control.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

constexpr std::uint64_t random_orders = 200;
constexpr double relative_tolerance = 0.2;
constexpr double absolute_tolerance = 0.01;  // of the variance of the logits

using PairSet = std::vector<std::int64_t>;

/// Returns the pairs in the random order number `draw` (Fisher and Yates).
PairSet in_random_order(PairSet pairs, const RandomStream& stream, std::uint64_t draw) {
    for (std::size_t left = pairs.size(); left > 1; --left)
        std::swap(pairs[left - 1], pairs[stream.below(left, draw, left)]);
    return pairs;
}

/// Returns the first pairs, at least one, whose total contribution is nearest to `target`, in ascending order.
PairSet nearest_start(std::span<const double> contributions, const PairSet& pairs, double target) {
    double sum = 0;
    double least = 0;
    std::size_t size = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        sum += contributions[static_cast<std::size_t>(pairs[i])];
        const double difference = std::abs(sum - target);
        if (size > 0 && difference >= least) continue;
        least = difference;
        size = i + 1;
    }
    PairSet result(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(size));
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

std::vector<double> pair_contributions(const ProbeResult& result) {
    const ProbeArray& array = result.logit_contribution;
    if (array.empty()) return {};
    const auto columns = static_cast<std::size_t>(array.shape.back());
    std::vector<std::size_t> rows;  // without those of gated DeltaNet layers, which have no logits
    for (std::size_t row = 0; row < array.values.size() / columns; ++row) {
        if (!std::isnan(array.values[row * columns])) rows.push_back(row);
    }
    std::vector<double> means(columns - 1, 0.0);
    for (const std::size_t row : rows) {
        for (std::size_t pair = 0; pair < means.size(); ++pair)
            means[pair] += static_cast<double>(array.values[row * columns + pair]) / static_cast<double>(rows.size());
    }
    return means;
}

double total_contribution(std::span<const double> contributions, std::span<const std::int64_t> pairs) {
    double sum = 0;
    for (const std::int64_t pair : pairs) sum += contributions[static_cast<std::size_t>(pair)];
    return sum;
}

std::vector<std::vector<std::int64_t>> control_pairs(std::span<const double> contributions,
                                                     std::span<const std::int64_t> others,
                                                     std::span<const std::int64_t> ablated, std::int64_t count) {
    PairSet candidates;
    for (const std::int64_t pair : others) {
        if (std::find(ablated.begin(), ablated.end(), pair) == ablated.end()) candidates.push_back(pair);
    }
    if (ablated.empty() || candidates.empty()) return {};
    const double target = total_contribution(contributions, ablated);
    const double tolerance = std::max(relative_tolerance * std::abs(target), absolute_tolerance);

    const RandomStream stream(1, "ablation-controls");
    std::map<PairSet, double> differences;
    for (std::uint64_t draw = 0; draw < random_orders; ++draw) {
        PairSet set = nearest_start(contributions, in_random_order(candidates, stream, draw), target);
        const double difference = std::abs(total_contribution(contributions, set) - target);
        if (difference <= tolerance) differences.emplace(std::move(set), difference);
    }
    std::vector<std::pair<double, PairSet>> ordered;
    for (const auto& [set, difference] : differences) ordered.emplace_back(difference, set);
    std::sort(ordered.begin(), ordered.end());
    std::vector<PairSet> result;
    for (const auto& [difference, set] : ordered) {
        if (std::ssize(result) < count) result.push_back(set);
    }
    return result;
}

}  // namespace ropelab
