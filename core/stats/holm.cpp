#include "core/stats/holm.h"

#include <algorithm>
#include <cstddef>

namespace ropelab {

std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i]) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *p[a] < *p[b]; });
    std::vector<std::optional<double>> result(p.size());
    double floor = 0;  // corrected values must not decrease with the rank
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double comparisons = static_cast<double>(order.size() - rank);
        floor = std::max(floor, std::min(1.0, comparisons * *p[order[rank]]));
        result[order[rank]] = floor;
    }
    return result;
}

}  // namespace ropelab
