#include "core/engine/parts/routing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ropelab {

namespace {

double probability_of(std::span<const float> logits, std::int64_t expert) {
    const float largest = *std::max_element(logits.begin(), logits.end());
    double total = 0;
    for (const float logit : logits) total += std::exp(static_cast<double>(logit) - static_cast<double>(largest));
    return std::exp(static_cast<double>(logits[static_cast<std::size_t>(expert)]) - static_cast<double>(largest)) /
           total;
}

}  // namespace

std::int64_t Routing::choices() const {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

Routing route(std::span<const float> logits, std::int64_t experts, std::int64_t per_token,
              const RoutingLimits& limits) {
    const std::int64_t tokens = std::ssize(logits) / experts;
    Routing routing{experts, per_token, {}, {}, std::vector<std::int64_t>(static_cast<std::size_t>(experts)), 0};
    routing.expert.reserve(static_cast<std::size_t>(tokens * per_token));
    std::vector<std::int64_t> order(static_cast<std::size_t>(experts));
    for (std::int64_t token = 0; token < tokens; ++token) {
        const auto row = logits.subspan(static_cast<std::size_t>(token * experts), static_cast<std::size_t>(experts));
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + per_token, order.end(), [&](std::int64_t a, std::int64_t b) {
            const float x = row[static_cast<std::size_t>(a)];
            const float y = row[static_cast<std::size_t>(b)];
            return x != y ? x > y : a < b;
        });
        for (std::int64_t choice = 0; choice < per_token; ++choice) {
            const std::int64_t expert = order[static_cast<std::size_t>(choice)];
            const bool is_skipped = choice == 1 && !limits.second.empty() &&
                                    2 * probability_of(row, expert) < limits.second[static_cast<std::size_t>(token)];
            routing.expert.push_back(is_skipped ? -1 : expert);
        }
    }
    routing.kept.assign(routing.expert.size(), 0);
    for (std::int64_t choice = 0; choice < per_token; ++choice) {
        for (std::int64_t token = 0; token < tokens; ++token) {
            const auto place = static_cast<std::size_t>(token * per_token + choice);
            const std::int64_t expert = routing.expert[place];
            if (expert < 0) continue;
            const std::int64_t before = routing.counts[static_cast<std::size_t>(expert)]++;
            const bool fits = limits.capacity == 0 || before < limits.capacity;
            routing.kept[place] = fits ? 1 : 0;
            if (!fits) ++routing.dropped;
        }
    }
    return routing;
}

std::int64_t expert_capacity_of(double factor, std::int64_t tokens, std::int64_t experts, std::int64_t per_token) {
    const double even = static_cast<double>(per_token * tokens) / static_cast<double>(experts);
    return static_cast<std::int64_t>(std::ceil(factor * even));
}

}  // namespace ropelab
