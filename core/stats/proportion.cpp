#include "core/stats/proportion.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

Interval clopper_pearson(std::int64_t events, std::int64_t n, double alpha) {
    if (events < 0 || events > n) {
        throw BadInput("The number of runs with the event is " + std::to_string(events) +
                       ", but it must be between 0 and " + std::to_string(n) + ", the number of runs.");
    }
    if (!(alpha > 0 && alpha < 1)) {
        throw BadInput("The significance level is " + number_text(alpha) + ", but it must be between 0 and 1.");
    }
    const auto with = static_cast<double>(events);
    const auto without = static_cast<double>(n - events);
    Interval interval{0, 1};
    if (events > 0) {
        interval.low = boost::math::quantile(boost::math::beta_distribution<double>(with, without + 1), alpha / 2);
    }
    if (events < n) {
        interval.high = boost::math::quantile(
            boost::math::complement(boost::math::beta_distribution<double>(with + 1, without), alpha / 2));
    }
    return interval;
}

double binomial_at_least(std::int64_t events, std::int64_t n, double probability) {
    if (events <= 0) return 1;
    const boost::math::binomial_distribution<double> distribution(static_cast<double>(n), probability);
    return boost::math::cdf(boost::math::complement(distribution, static_cast<double>(events - 1)));
}

double binomial_at_most(std::int64_t events, std::int64_t n, double probability) {
    if (events >= n) return 1;
    const boost::math::binomial_distribution<double> distribution(static_cast<double>(n), probability);
    return boost::math::cdf(distribution, static_cast<double>(events));
}

IntervalEstimate proportion_difference(std::int64_t events, std::int64_t n, std::int64_t others, std::int64_t other_n,
                                       double alpha) {
    const Interval group = clopper_pearson(events, n, alpha / 2);
    const Interval other = clopper_pearson(others, other_n, alpha / 2);
    const auto proportion = [](std::int64_t of, std::int64_t all) {
        return static_cast<double>(of) / static_cast<double>(all);
    };
    return {proportion(events, n) - proportion(others, other_n), group.low - other.high, group.high - other.low};
}

double p_of_difference_below(std::int64_t events, std::int64_t n, std::int64_t others, std::int64_t other_n,
                             double margin) {
    constexpr int halvings = 60;
    constexpr double least = 1e-12;
    // clopper_pearson is two-sided: each of its ends has the level alpha/2.
    const auto is_below = [&](double alpha) {
        return clopper_pearson(events, n, alpha).high - clopper_pearson(others, other_n, alpha).low < margin;
    };
    double enough = std::nextafter(1.0, 0.0);
    double few = least;
    if (!is_below(enough)) return 1;
    if (is_below(few)) return least;
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::sqrt(few * enough);  // p spans many orders of magnitude
        (is_below(middle) ? enough : few) = middle;
    }
    return enough;
}

double fisher_greater_p(std::int64_t events, std::int64_t n, std::int64_t other_events, std::int64_t other_n) {
    const std::int64_t all = events + other_events;
    if (n == 0 || other_n == 0 || events == 0) return 1;
    const boost::math::hypergeometric_distribution<double> distribution(
        static_cast<unsigned>(all), static_cast<unsigned>(n), static_cast<unsigned>(n + other_n));
    if (events <= std::max<std::int64_t>(0, all - other_n)) return 1;
    return boost::math::cdf(boost::math::complement(distribution, static_cast<unsigned>(events - 1)));
}

namespace {

// At least `least`, to be significantly more than `others` in a group of the same size; seeds + 1 if no number is.
std::int64_t events_needed(std::int64_t others, std::int64_t seeds, double alpha, std::int64_t least) {
    const auto is_significant = [&](std::int64_t events) {
        return fisher_greater_p(events, seeds, others, seeds) < alpha;
    };
    std::int64_t step = 1;
    std::int64_t few = least - 1;  // not significant
    std::int64_t enough = least;
    while (enough <= seeds && !is_significant(enough)) {
        few = enough;
        enough = std::min(enough + step, seeds + 1);
        step *= 2;
    }
    while (enough - few > 1) {
        const std::int64_t middle = (few + enough) / 2;
        (is_significant(middle) ? enough : few) = middle;
    }
    return enough;
}

}  // namespace

double events_power(double more, double fewer, std::int64_t seeds, double alpha) {
    constexpr double negligible = 1e-12;
    const double n = static_cast<double>(seeds);
    const boost::math::binomial_distribution<double> more_events(n, more), fewer_events(n, fewer);
    double power = 0;
    std::int64_t needed = 1;  // grows monotonically with `others`
    for (std::int64_t others = 0; others <= seeds; ++others) {
        const double chance = boost::math::pdf(fewer_events, static_cast<double>(others));
        if (chance < negligible) continue;
        needed = events_needed(others, seeds, alpha, needed);
        if (needed > seeds) break;
        power += chance * boost::math::cdf(boost::math::complement(more_events, static_cast<double>(needed - 1)));
    }
    return power;
}

std::optional<std::int64_t> seeds_to_detect_events(double probability, double other, const PowerRule& rule) {
    const double more = std::max(probability, other);
    const double fewer = std::min(probability, other);
    if (!(fewer < more)) return std::nullopt;
    return fewest_seeds([&](std::int64_t seeds) { return events_power(more, fewer, seeds, rule.alpha) >= rule.power; });
}

}  // namespace ropelab
