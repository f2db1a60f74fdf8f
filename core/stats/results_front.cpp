#include "core/stats/results_front.h"

#include <algorithm>
#include <cmath>

namespace ropelab {

std::vector<std::size_t> pareto_front(std::span<const Costs> choices) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (std::isfinite(choices[i].first) && std::isfinite(choices[i].second)) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return choices[a].first != choices[b].first ? choices[a].first < choices[b].first
                                                    : choices[a].second < choices[b].second;
    });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const bool first = front.empty();
        const Costs last = first ? Costs{} : choices[front.back()];
        const bool equal = !first && choices[i].first == last.first && choices[i].second == last.second;
        if (first || equal || choices[i].second < last.second) front.push_back(i);
    }
    return front;
}

}  // namespace ropelab
