#include "core/stats/evidence.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double log_two_sided(double t, double n, double g) {
    const double square = t * t / (n - 1);
    const double width = 1 + n * g;
    return n / 2 * (std::log1p(square) - std::log1p(square / width)) - std::log(width) / 2;
}

// The posterior probability of a positive mean is that of Student's t distribution with n degrees of freedom.
double log_one_sided(double t, double n, double g) {
    const double width = 1 + n * g;
    const double place = t * n * std::sqrt(g / (width * (n - 1 + t * t / width)));
    return std::log(2 * boost::math::cdf(boost::math::students_t(n), place)) + log_two_sided(t, n, g);
}

std::optional<double> statistic(const Sample& sample) {
    if (sample.n < 2 || !(sample.standard_deviation > 0) || !std::isfinite(sample.mean)) return std::nullopt;
    return sample.mean * std::sqrt(static_cast<double>(sample.n)) / sample.standard_deviation;
}

void check_rate(std::int64_t events, std::int64_t n, double bound) {
    if (0 < bound && bound < 1 && 0 <= events && events <= n) return;
    throw BadInput("The evidence of " + std::to_string(events) + " events in " + std::to_string(n) +
                   " runs against a probability of " + number_text(bound) +
                   " is not defined; the probability must be between 0 and 1, and the events at most the runs.");
}

}  // namespace

double log_t_mixture(const Sample& differences, double g) {
    const auto t = statistic(differences);
    return t ? log_two_sided(*t, static_cast<double>(differences.n), g) : 0;
}

double log_t_mixture_above(const Sample& differences, double g) {
    const auto t = statistic(differences);
    return t ? log_one_sided(*t, static_cast<double>(differences.n), g) : 0;
}

double t_mixture_critical(std::int64_t n, double alpha, bool one_sided, double g) {
    if (n < 2) return infinite;
    const auto count = static_cast<double>(n);
    const double width = 1 + count * g;
    const auto two_sided = [&](double level) {
        const double ratio = std::exp((std::log(width) / 2 - std::log(level)) * 2 / count);
        return ratio < width ? std::sqrt((count - 1) * (ratio - 1) / (1 - ratio / width)) : infinite;
    };
    if (!one_sided) return two_sided(alpha);
    const auto excess = [&](double t) { return log_one_sided(t, count, g) + std::log(alpha); };
    // The one-sided value at t is at most twice the two-sided one, and reaches that for a large t.
    const double low = alpha < 0.5 ? two_sided(2 * alpha) : 0;
    if (!std::isfinite(low)) return infinite;
    double high = 2 * low + 1;
    while (excess(high) < 0) {
        high *= 2;
        if (high > 1e9) return infinite;
    }
    std::uintmax_t steps = 100;
    if (excess(low) >= 0) return low;
    return boost::math::tools::toms748_solve(excess, low, high, boost::math::tools::eps_tolerance<double>(40), steps)
        .second;
}

Interval t_mixture_interval(const Sample& differences, double alpha, double g) {
    const double critical = t_mixture_critical(differences.n, alpha, false, g);
    if (!statistic(differences) || !std::isfinite(critical)) return {};
    const double half = critical * differences.standard_deviation / std::sqrt(static_cast<double>(differences.n));
    return {differences.mean - half, differences.mean + half};
}

double log_rate_above(std::int64_t events, std::int64_t n, double bound) {
    check_rate(events, n, bound);
    const auto k = static_cast<double>(events);
    const double others = static_cast<double>(n) - k;
    const double above =
        boost::math::cdf(boost::math::complement(boost::math::beta_distribution<>(k + 1, others + 1), bound));
    return std::log(above) + std::log(boost::math::beta(k + 1, others + 1)) - std::log1p(-bound) - k * std::log(bound) -
           others * std::log1p(-bound);
}

double log_rate_below(std::int64_t events, std::int64_t n, double bound) {
    return log_rate_above(n - events, n, 1 - bound);
}

double log_balance_below(std::int64_t minus, std::int64_t zero, std::int64_t plus, double bound) {
    constexpr int bets = 32;
    double sum = 0;
    double largest = -infinite;
    for (int i = 1; i <= bets; ++i) {
        const double bet = i / (bets + 1.0) / (1 - bound);
        const double capital = static_cast<double>(minus) * std::log1p(bet * (1 + bound)) +
                               static_cast<double>(zero) * std::log1p(bet * bound) +
                               static_cast<double>(plus) * std::log1p(-bet * (1 - bound));
        // The logarithm of a sum, scaled by its largest term.
        if (capital > largest) {
            sum = sum * std::exp(largest - capital) + 1;
            largest = capital;
        } else {
            sum += std::exp(capital - largest);
        }
    }
    return largest + std::log(sum / bets);
}

}  // namespace ropelab
