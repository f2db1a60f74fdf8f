#include "core/stats/power.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

// Returns the noncentrality at which the test has the power `rule.power`.
double noncentrality_of(double degrees_of_freedom, const PowerRule& rule) {
    const auto missing = [&](double noncentrality) {
        return t_test_power(noncentrality, degrees_of_freedom, rule.alpha) - rule.power;
    };
    double high = 2;
    while (missing(high) < 0) high *= 1.5;
    std::uintmax_t steps = 100;
    const auto [below, above] =
        boost::math::tools::toms748_solve(missing, 0.0, high, boost::math::tools::eps_tolerance<double>(40), steps);
    return (below + above) / 2;
}

bool is_usable(const PowerRule& rule) {
    return rule.alpha > 0 && rule.power > rule.alpha && rule.power < 1;
}

void check(const PowerRule& rule) {
    if (is_usable(rule)) return;
    throw BadInput("A power of " + number_text(rule.power) + " at a level of " + number_text(rule.alpha) +
                   " is not possible; they must satisfy 0 < level < power < 1.");
}

bool has_deviation(const Sample& sample) {
    return std::isfinite(sample.standard_deviation) && sample.standard_deviation >= 0;
}

}  // namespace

std::optional<std::int64_t> fewest_seeds(const std::function<bool(std::int64_t)>& is_enough) {
    std::int64_t enough = 2;
    while (!is_enough(enough)) {
        if (enough >= max_seeds) return std::nullopt;
        enough = std::min(2 * enough, max_seeds);
    }
    std::int64_t few = enough / 2;  // not enough, or below 2
    while (enough - few > 1) {
        const std::int64_t middle = (few + enough) / 2;
        (middle >= 2 && is_enough(middle) ? enough : few) = middle;
    }
    return enough;
}

double t_test_power(double noncentrality, double degrees_of_freedom, double alpha) {
    if (!(degrees_of_freedom > 0) || !(alpha > 0 && alpha < 1)) {
        throw BadInput("A t test with " + number_text(degrees_of_freedom) + " degrees of freedom at a level of " +
                       number_text(alpha) +
                       " is not possible; the degrees of freedom must be above 0 and the level between 0 and 1.");
    }
    const boost::math::students_t central(degrees_of_freedom);
    const double critical = boost::math::quantile(boost::math::complement(central, alpha / 2));
    const double effect = std::abs(noncentrality);
    if (effect == 0) return alpha;
    const boost::math::non_central_t distribution(degrees_of_freedom, effect);
    return boost::math::cdf(boost::math::complement(distribution, critical)) +
           boost::math::cdf(distribution, -critical);
}

std::optional<double> detectable_difference(const Sample& a, const Sample& b, const PowerRule& rule) {
    check(rule);
    if (a.n < 2 || b.n < 2 || !has_deviation(a) || !has_deviation(b)) return std::nullopt;
    const double error = standard_error_of_difference(a, b);
    if (!(error > 0)) return std::nullopt;
    return noncentrality_of(static_cast<double>(a.n + b.n - 2), rule) * error;
}

std::optional<double> detectable_difference_welch(const Sample& a, const Sample& b, const PowerRule& rule) {
    check(rule);
    if (!has_deviation(a) || !has_deviation(b)) return std::nullopt;
    const auto error = welch_error(a, b);
    if (!error) return std::nullopt;
    return noncentrality_of(error->degrees_of_freedom, rule) * error->standard_error;
}

std::optional<double> detectable_difference_of_pairs(const Sample& differences, const PowerRule& rule) {
    check(rule);
    if (differences.n < 2 || !has_deviation(differences) || !(differences.standard_deviation > 0)) return std::nullopt;
    const double n = static_cast<double>(differences.n);
    return noncentrality_of(n - 1, rule) * differences.standard_deviation / std::sqrt(n);
}

std::optional<std::int64_t> seeds_to_detect(double difference, double standard_deviation, const PowerRule& rule) {
    check(rule);
    const double effect = std::abs(difference) / standard_deviation;
    if (!std::isfinite(effect) || !(effect > 0)) return std::nullopt;
    return fewest_seeds([&](std::int64_t seeds) {
        const double n = static_cast<double>(seeds);
        return t_test_power(effect * std::sqrt(n / 2), 2 * n - 2, rule.alpha) >= rule.power;
    });
}

std::optional<std::int64_t> seeds_to_detect_welch(double difference, double a, double b, const PowerRule& rule) {
    check(rule);
    const double effect = std::abs(difference) / std::hypot(a, b);
    if (!std::isfinite(effect) || !(effect > 0)) return std::nullopt;
    return fewest_seeds([&](std::int64_t seeds) {
        const auto error = welch_error({seeds, 0, a}, {seeds, 0, b});
        return error &&
               t_test_power(difference / error->standard_error, error->degrees_of_freedom, rule.alpha) >= rule.power;
    });
}

}  // namespace ropelab
