#include "core/stats/kendall.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/base/error.h"

namespace ropelab {

namespace {

constexpr std::size_t most_pairs = 8;  // 8! = 40,320 orders

using ScoreDistribution = std::map<std::int64_t, double>;

int sign_of(double value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

std::int64_t score_of(const KendallStratum& stratum, const std::vector<std::size_t>& order) {
    std::int64_t score = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            score += sign_of(stratum.x[j] - stratum.x[i]) * sign_of(stratum.y[order[j]] - stratum.y[order[i]]);
        }
    }
    return score;
}

void check_stratum(const KendallStratum& stratum) {
    if (stratum.x.size() != stratum.y.size()) {
        throw BadInput("The trend test needs equal numbers of x and y values; there are " +
                       std::to_string(stratum.x.size()) + " x and " + std::to_string(stratum.y.size()) + " y.");
    }
    if (stratum.x.size() > most_pairs) {
        throw BadInput("The exact trend test takes at most " + std::to_string(most_pairs) + " pairs per stratum; " +
                       std::to_string(stratum.x.size()) + " were given.");
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(stratum.x.begin(), stratum.x.end(), finite) ||
        !std::all_of(stratum.y.begin(), stratum.y.end(), finite)) {
        throw BadInput("The trend test needs finite numbers; exclude the pairs without a value.");
    }
}

ScoreDistribution null_distribution(const KendallStratum& stratum) {
    std::vector<std::size_t> order(stratum.y.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    ScoreDistribution counts;
    double orders = 0;
    do {
        counts[score_of(stratum, order)] += 1;
        orders += 1;
    } while (std::next_permutation(order.begin(), order.end()));
    for (auto& [score, count] : counts) count /= orders;
    return counts;
}

ScoreDistribution sum_of(const ScoreDistribution& a, const ScoreDistribution& b) {
    ScoreDistribution sum;
    for (const auto& [score_a, p_a] : a) {
        for (const auto& [score_b, p_b] : b) sum[score_a + score_b] += p_a * p_b;
    }
    return sum;
}

}  // namespace

KendallTrend kendall_trend(std::span<const KendallStratum> strata) {
    KendallTrend trend;
    ScoreDistribution null = {{0, 1.0}};
    for (const KendallStratum& stratum : strata) {
        check_stratum(stratum);
        std::vector<std::size_t> order(stratum.y.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        trend.score += score_of(stratum, order);
        null = sum_of(null, null_distribution(stratum));
    }
    trend.p_falling = trend.p_rising = trend.p = 0;
    for (const auto& [score, probability] : null) {
        if (score <= trend.score) trend.p_falling += probability;
        if (score >= trend.score) trend.p_rising += probability;
        if (std::abs(score) >= std::abs(trend.score)) trend.p += probability;
    }
    trend.p_falling = std::min(trend.p_falling, 1.0);
    trend.p_rising = std::min(trend.p_rising, 1.0);
    trend.p = std::min(trend.p, 1.0);
    return trend;
}

}  // namespace ropelab
