#include "core/stats/group_sequential.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr double largest_level = 0.5, least_level = 1e-9;
constexpr int intervals = 240;  // of Simpson's rule; even
constexpr double reach = 9;     // in standard deviations: no mass beyond

const std::vector<std::string> spending_words = {"obrien-fleming", "pocock"};

double upper_tail(double z) {
    return std::erfc(z / std::numbers::sqrt2) / 2;
}

double z_of_tail(double p) {
    return p > 0 ? boost::math::quantile(boost::math::complement(boost::math::normal(), std::min(p, 1.0))) : no_bound;
}

double spent(Spending spending, double alpha, double fraction) {
    if (spending == Spending::pocock) return alpha * std::log1p((std::numbers::e - 1) * fraction);
    return 2 * upper_tail(z_of_tail(alpha / 2) / std::sqrt(fraction));
}

// Density of the sum of the increments up to a look, on the paths that no earlier look has stopped.
struct Density {
    std::vector<double> at, weight;  // density times the weight of Simpson's rule

    static std::vector<double> points(double low, double high) {
        std::vector<double> result(intervals + 1);
        for (int i = 0; i <= intervals; ++i) result[static_cast<std::size_t>(i)] = low + (high - low) * i / intervals;
        return result;
    }
    double beyond(double bound, double deviation, bool one_sided) const {
        double sum = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            sum += weight[i] * (upper_tail((bound - at[i]) / deviation) +
                                (one_sided ? 0 : upper_tail((bound + at[i]) / deviation)));
        }
        return sum;
    }
    Density after(double bound, double deviation, double spread, bool one_sided) const {
        const double edge = std::min(bound, reach * spread);
        Density next{points(one_sided ? -reach * spread : -edge, edge), std::vector<double>(intervals + 1)};
        const double step = next.at[1] - next.at[0];
        for (std::size_t j = 0; j < next.at.size(); ++j) {
            double density = 0;
            for (std::size_t i = 0; i < at.size(); ++i) {
                const double z = (next.at[j] - at[i]) / deviation;
                density += weight[i] * std::exp(-z * z / 2);
            }
            const double simpson = j == 0 || j == intervals ? 1 : j % 2 == 1 ? 4 : 2;
            next.weight[j] = density * simpson * step / (3 * deviation * std::sqrt(2 * std::numbers::pi));
        }
        return next;
    }
};

}  // namespace

std::string to_string(Spending spending) {
    return spending_words[static_cast<std::size_t>(spending)];
}

Spending spending(const std::string& word) {
    return static_cast<Spending>(choice_of(word, "a spending function", spending_words));
}

std::vector<double> spending_boundaries(std::span<const double> fractions, Spending spending, double alpha,
                                        bool one_sided) {
    std::vector<double> result;
    Density density{{0}, {1}};
    double before = 0, used = 0;
    for (const double fraction : fractions) {
        const double share =
            (one_sided ? spent(spending, alpha, fraction) : 2 * spent(spending, alpha / 2, fraction)) - used;
        const double deviation = std::sqrt(fraction - before);
        const double spread = std::sqrt(fraction);
        const auto excess = [&](double bound) { return density.beyond(bound, deviation, one_sided) - share; };
        double bound = no_bound;
        const double lowest = one_sided ? -reach * spread : 0;
        if (share > 1e-15 && excess(reach * spread) < 0) {
            std::uintmax_t steps = 100;
            bound = excess(lowest) <= 0
                        ? lowest
                        : boost::math::tools::toms748_solve(excess, lowest, reach * spread,
                                                            boost::math::tools::eps_tolerance<double>(40), steps)
                              .second;
        }
        result.push_back(bound / spread);
        used += std::max(share, 0.0);
        density = density.after(bound, deviation, spread, one_sided);
        before = fraction;
    }
    return result;
}

SequentialP::SequentialP(std::vector<std::int64_t> looks, Spending spending, bool one_sided) : one_sided_(one_sided) {
    const bool ascending = std::ranges::adjacent_find(looks, std::greater_equal<>()) == looks.end();
    if (looks.empty() || looks.size() > 20 || looks.front() < 2 || !ascending)
        throw BadInput("A group-sequential test needs 1 to 20 looks in ascending order, the first at 2 seeds or more.");
    std::vector<double> fractions;
    for (const std::int64_t look : looks)
        fractions.push_back(static_cast<double>(look) / static_cast<double>(looks.back()));
    constexpr int steps = 40;
    for (int i = 0; i <= steps; ++i) {
        levels_.push_back(largest_level * std::pow(least_level / largest_level, static_cast<double>(i) / steps));
        tails_.push_back(spending_boundaries(fractions, spending, levels_.back(), one_sided));
        for (double& value : tails_.back()) value = std::log(upper_tail(value));
    }
}

double SequentialP::operator()(std::size_t look, double nominal) const {
    const double tail = std::log(one_sided_ ? nominal : nominal / 2);
    if (tail > tails_.front()[look]) return 1;
    for (std::size_t i = 1; i < levels_.size(); ++i) {
        const double high = tails_[i - 1][look], low = tails_[i][look];
        if (tail <= low) continue;
        if (std::isinf(low)) return levels_[i - 1];
        return levels_[i - 1] * std::pow(levels_[i] / levels_[i - 1], (tail - high) / (low - high));
    }
    return levels_.back();
}

double SequentialP::nominal(std::size_t look, double alpha) const {
    std::size_t i = 1;
    while (i + 1 < levels_.size() && levels_[i] > alpha) ++i;
    const double high = tails_[i - 1][look], low = tails_[i][look];
    if (std::isinf(low)) return 0;
    const double place = std::log(alpha / levels_[i - 1]) / std::log(levels_[i] / levels_[i - 1]);
    return std::exp(high + place * (low - high)) * (one_sided_ ? 1 : 2);
}

}  // namespace ropelab
