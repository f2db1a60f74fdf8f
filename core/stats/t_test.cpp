#include "core/stats/t_test.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

// Without long double, which is several times slower: 14 digits of a power are right in any case.
using NonCentralT = boost::math::non_central_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

// `scale`: magnitude of the subtracted numbers. An error below their rounding counts as 0, as in R's t.test.
std::optional<TTest> t_test(double difference, double error, double degrees_of_freedom, double scale) {
    const double rounding = 10 * std::numeric_limits<double>::epsilon() * scale;
    if (!std::isfinite(difference) || !std::isfinite(error) || error <= rounding) return std::nullopt;
    TTest result;
    result.t = difference / error;
    result.degrees_of_freedom = degrees_of_freedom;
    const boost::math::students_t distribution(degrees_of_freedom);
    result.p = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(result.t))));
    return result;
}

std::optional<TTest> t_test(const Sample& a, const Sample& b, const std::optional<DifferenceError>& error) {
    if (!error) return std::nullopt;
    return t_test(a.mean - b.mean, error->standard_error, error->degrees_of_freedom,
                  std::max(std::abs(a.mean), std::abs(b.mean)));
}

}  // namespace

Sample sample_of(std::span<const double> values) {
    const Description description = describe(values);
    return {description.n, description.mean, description.standard_deviation};
}

std::optional<DifferenceError> student_error(const Sample& a, const Sample& b) {
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const double na = static_cast<double>(a.n);
    const double nb = static_cast<double>(b.n);
    const double pooled = ((na - 1) * a.standard_deviation * a.standard_deviation +
                           (nb - 1) * b.standard_deviation * b.standard_deviation) /
                          (na + nb - 2);
    const double error = std::sqrt(pooled * (1 / na + 1 / nb));
    return error > 0 && std::isfinite(error) ? std::optional(DifferenceError{error, na + nb - 2}) : std::nullopt;
}

std::optional<DifferenceError> welch_error(const Sample& a, const Sample& b) {
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const double na = static_cast<double>(a.n);
    const double nb = static_cast<double>(b.n);
    const double ea = a.standard_deviation * a.standard_deviation / na;
    const double eb = b.standard_deviation * b.standard_deviation / nb;
    if (!(ea + eb > 0) || !std::isfinite(ea + eb)) return std::nullopt;
    // Fractions of the sum are used, because squares of tiny variances would underflow.
    const double fraction_a = ea / (ea + eb);
    const double fraction_b = eb / (ea + eb);
    const double freedom = 1 / (fraction_a * fraction_a / (na - 1) + fraction_b * fraction_b / (nb - 1));
    return DifferenceError{std::sqrt(ea + eb), freedom};
}

std::optional<TTest> student_t_test(const Sample& a, const Sample& b) {
    return t_test(a, b, student_error(a, b));
}

std::optional<TTest> welch_t_test(const Sample& a, const Sample& b) {
    return t_test(a, b, welch_error(a, b));
}

std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) {
        throw BadInput("A paired t test needs samples of equal length, but these have " + std::to_string(a.size()) +
                       " and " + std::to_string(b.size()) + " values.");
    }
    std::vector<double> differences;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) differences.push_back(a[i] - b[i]);
    }
    return differences;
}

std::optional<TTest> paired_t_test(std::span<const double> a, std::span<const double> b) {
    const Sample sample = sample_of(paired_differences(a, b));
    double scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) scale = std::max({scale, std::abs(a[i]), std::abs(b[i])});
    }
    if (sample.n < 2) return std::nullopt;
    const double n = static_cast<double>(sample.n);
    return t_test(sample.mean, sample.standard_deviation / std::sqrt(n), n - 1, scale);
}

namespace {

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

void check(const PowerRule& rule) {
    if (rule.alpha > 0 && rule.power > rule.alpha && rule.power < 1) return;
    throw BadInput("A power of " + number_text(rule.power) + " at a significance level of " + number_text(rule.alpha) +
                   " is not possible; they must satisfy 0 < level < power < 1.");
}

// Of pairs, with a normal instead of a t distribution: somewhat too few.
double seeds_of_known_deviation(double effect, const PowerRule& rule) {
    const boost::math::normal normal;
    const double distance =
        boost::math::quantile(normal, 1 - rule.alpha / 2) + boost::math::quantile(normal, rule.power);
    return std::pow(distance / effect, 2) + 1;
}

bool has_deviation(const Sample& sample) {
    return std::isfinite(sample.standard_deviation) && sample.standard_deviation >= 0;
}

std::optional<double> detectable(const Sample& a, const Sample& b, const std::optional<DifferenceError>& error,
                                 const PowerRule& rule) {
    check(rule);
    if (!error || !has_deviation(a) || !has_deviation(b)) return std::nullopt;
    return noncentrality_of(error->degrees_of_freedom, rule) * error->standard_error;
}

}  // namespace

std::optional<std::int64_t> fewest_seeds(const std::function<bool(std::int64_t)>& is_enough, double guess) {
    auto enough = static_cast<std::int64_t>(std::clamp(guess, 2.0, static_cast<double>(max_seeds)));
    std::int64_t few = 1;  // not enough
    const bool is_high = is_enough(enough);
    for (std::int64_t step = 2; is_high && few == 1 && enough > 2; step *= 2) {
        const std::int64_t fewer = std::max<std::int64_t>(2, enough - step);
        (is_enough(fewer) ? enough : few) = fewer;
    }
    for (std::int64_t step = 2; !is_high; step *= 2) {
        if (enough == max_seeds) return std::nullopt;
        few = std::exchange(enough, std::min(enough + step, max_seeds));
        if (is_enough(enough)) break;
    }
    while (enough - few > 1) {
        const std::int64_t middle = (few + enough) / 2;
        (is_enough(middle) ? enough : few) = middle;
    }
    return enough;
}

double t_test_power(double noncentrality, double degrees_of_freedom, double alpha) {
    if (!(degrees_of_freedom > 0) || !(alpha > 0 && alpha < 1)) {
        throw BadInput("A t test with " + number_text(degrees_of_freedom) +
                       " degrees of freedom at a significance level of " + number_text(alpha) +
                       " is not possible; the degrees of freedom must be above 0 and the level between 0 and 1.");
    }
    const double effect = std::abs(noncentrality);
    if (effect == 0) return alpha;
    // Tables of results, which are made again for each figure, ask for the same powers of thousands of groups.
    constexpr std::size_t most = 200'000;
    thread_local std::map<std::array<double, 3>, double> known;
    if (known.size() >= most) known.clear();
    const std::array<double, 3> key = {effect, degrees_of_freedom, alpha};
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const boost::math::students_t central(degrees_of_freedom);
    const double critical = boost::math::quantile(boost::math::complement(central, alpha / 2));
    const NonCentralT distribution(degrees_of_freedom, effect);
    const double power =
        boost::math::cdf(boost::math::complement(distribution, critical)) + boost::math::cdf(distribution, -critical);
    known.emplace(key, power);
    return power;
}

std::pair<double, double> deviation_factors(double degrees_of_freedom) {
    const boost::math::chi_squared distribution(degrees_of_freedom);
    return {std::sqrt(degrees_of_freedom / boost::math::quantile(distribution, 0.975)),
            std::sqrt(degrees_of_freedom / boost::math::quantile(distribution, 0.025))};
}

std::optional<double> detectable_difference(const Sample& a, const Sample& b, const PowerRule& rule) {
    return detectable(a, b, student_error(a, b), rule);
}

std::optional<double> detectable_difference_welch(const Sample& a, const Sample& b, const PowerRule& rule) {
    return detectable(a, b, welch_error(a, b), rule);
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
    const auto is_enough = [&](std::int64_t seeds) {
        const double n = static_cast<double>(seeds);
        return t_test_power(effect * std::sqrt(n / 2), 2 * n - 2, rule.alpha) >= rule.power;
    };
    return fewest_seeds(is_enough, 2 * seeds_of_known_deviation(effect, rule));
}

std::optional<std::int64_t> seeds_to_detect_welch(double difference, double a, double b, const PowerRule& rule) {
    check(rule);
    const double effect = std::abs(difference) / std::hypot(a, b);
    if (!std::isfinite(effect) || !(effect > 0)) return std::nullopt;
    const auto is_enough = [&](std::int64_t seeds) {
        const auto error = welch_error({seeds, 0, a}, {seeds, 0, b});
        return error &&
               t_test_power(difference / error->standard_error, error->degrees_of_freedom, rule.alpha) >= rule.power;
    };
    return fewest_seeds(is_enough, seeds_of_known_deviation(effect, rule));
}

namespace {

void check_margin(double margin) {
    if (margin > 0 && std::isfinite(margin)) return;
    throw BadInput("The margin of an equivalence test is " + number_text(margin) + ", but it must be more than 0.");
}

// `test` is the t test of no difference; nullopt if no test is possible.
std::optional<Equivalence> equivalence(const std::optional<TTest>& test, double difference, double error,
                                       double margin) {
    if (!test) return std::nullopt;
    const boost::math::students_t distribution(test->degrees_of_freedom);
    const auto above = [&](double t) { return boost::math::cdf(boost::math::complement(distribution, t)); };
    Equivalence result;
    result.difference = difference;
    result.standard_error = error;
    result.degrees_of_freedom = test->degrees_of_freedom;
    result.p_low = above((difference + margin) / error);
    result.p_high = above((margin - difference) / error);
    result.p = std::max(result.p_low, result.p_high);
    result.p_beyond = above((std::abs(difference) - margin) / error);
    result.p_outside = std::min(1.0, 2 * result.p_beyond);
    return result;
}

}  // namespace

std::optional<Equivalence> welch_equivalence(const Sample& a, const Sample& b, double margin) {
    check_margin(margin);
    const auto error = welch_error(a, b);
    return error ? equivalence(welch_t_test(a, b), a.mean - b.mean, error->standard_error, margin) : std::nullopt;
}

std::optional<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b, double margin) {
    check_margin(margin);
    const Sample differences = sample_of(paired_differences(a, b));
    return equivalence(paired_t_test(a, b), differences.mean,
                       differences.standard_deviation / std::sqrt(static_cast<double>(differences.n)), margin);
}

double equivalence_power(double margin, double difference, double standard_deviation, std::int64_t seeds,
                         SeedDesign design, double alpha) {
    check_margin(margin);
    if (seeds < 2) return 0;
    const double n = static_cast<double>(seeds);
    const bool paired = design == SeedDesign::paired;
    const double freedom = paired ? n - 1 : 2 * n - 2;
    const double error = standard_deviation * std::sqrt((paired ? 1 : 2) / n);
    const double critical = boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), alpha));
    const auto rejects = [&](double noncentrality) {
        // Boost is slow for large noncentralities, where the probability is 1.
        if (noncentrality > critical + 40) return 1.0;
        const NonCentralT distribution(freedom, noncentrality);
        return boost::math::cdf(boost::math::complement(distribution, critical));
    };
    return std::max(0.0, rejects((margin - difference) / error) + rejects((margin + difference) / error) - 1);
}

std::optional<std::int64_t> seeds_to_show_equivalence(double margin, double difference, double standard_deviation,
                                                      SeedDesign design, const PowerRule& rule) {
    check_margin(margin);
    const bool usable = std::isfinite(difference) && std::isfinite(standard_deviation) && standard_deviation > 0;
    if (!usable || !(std::abs(difference) < margin)) return std::nullopt;
    return fewest_seeds([&](std::int64_t seeds) {
        return equivalence_power(margin, difference, standard_deviation, seeds, design, rule.alpha) >= rule.power;
    });
}

std::optional<std::int64_t> pairs_to_detect(double difference, double standard_deviation, const PowerRule& rule) {
    const double effect = std::abs(difference) / standard_deviation;
    if (!std::isfinite(effect) || !(effect > 0)) return std::nullopt;
    const auto is_enough = [&](std::int64_t seeds) {
        const double n = static_cast<double>(seeds);
        return t_test_power(effect * std::sqrt(n), n - 1, rule.alpha) >= rule.power;
    };
    return fewest_seeds(is_enough, seeds_of_known_deviation(effect, rule));
}

namespace {

struct MeanVariances {
    double a = 0, b = 0, covariance = 0;

    // Variance of mean(a) − ratio·mean(b).
    double at(double ratio) const { return a - 2 * ratio * covariance + ratio * ratio * b; }
};

using FreedomAt = std::function<double(double ratio)>;

// |mean(a) − r·mean(b)| = t·error(r), solved for r.
std::optional<std::pair<double, double>> fieller(double mean_a, double mean_b, const MeanVariances& variances,
                                                 double t) {
    const double square = mean_b * mean_b - t * t * variances.b;
    if (!(square > 0)) return std::nullopt;
    const double middle = mean_a * mean_b - t * t * variances.covariance;
    const double constant = mean_a * mean_a - t * t * variances.a;
    const double root = std::sqrt(std::max(0.0, middle * middle - square * constant));
    return std::pair{(middle - root) / square, (middle + root) / square};
}

std::optional<RatioRange> ratio_range(double mean_a, double mean_b, const MeanVariances& variances,
                                      const FreedomAt& freedom, double low, double high, double alpha) {
    if (!(mean_b > 0) || !(variances.at(low) > 0) || !(variances.at(high) > 0)) return std::nullopt;
    // Returns the one-sided p of the hypothesis that mean(a) − ratio·mean(b) is at most 0 (sign 1) or at least 0 (−1).
    const auto p_of_side = [&](double ratio, double sign) {
        const double t = sign * (mean_a - ratio * mean_b) / std::sqrt(variances.at(ratio));
        return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom(ratio)), t));
    };
    RatioRange result;
    result.ratio = mean_a / mean_b;
    result.p_inside = std::max(p_of_side(low, 1), p_of_side(high, -1));
    result.p_outside = std::min(1.0, 2 * std::min(p_of_side(low, -1), p_of_side(high, 1)));
    result.degrees_of_freedom = freedom(result.ratio);
    const double t =
        boost::math::quantile(boost::math::complement(boost::math::students_t(result.degrees_of_freedom), alpha / 2));
    if (const auto interval = fieller(mean_a, mean_b, variances, t)) {
        result.interval_low = interval->first;
        result.interval_high = interval->second;
    }
    return result;
}

void check_range(double low, double high) {
    if (low >= 0 && low < high && std::isfinite(high)) return;
    throw BadInput("The range of a ratio is " + number_text(low) + " to " + number_text(high) +
                   ", but it must start at 0 or more and end above its start.");
}

}  // namespace

std::optional<RatioRange> paired_ratio_range(std::span<const double> a, std::span<const double> b, double low,
                                             double high, double alpha) {
    check_range(low, high);
    std::vector<double> with, without, differences = paired_differences(a, b);  // checks the lengths
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
        with.push_back(a[i]);
        without.push_back(b[i]);
    }
    const auto n = static_cast<double>(with.size());
    if (n < 2) return std::nullopt;
    const auto square = [](double x) { return x * x; };
    const double variance_a = square(sample_of(with).standard_deviation);
    const double variance_b = square(sample_of(without).standard_deviation);
    const double covariance = (variance_a + variance_b - square(sample_of(differences).standard_deviation)) / 2;
    const MeanVariances variances{variance_a / n, variance_b / n, covariance / n};
    return ratio_range(
        sample_of(with).mean, sample_of(without).mean, variances, [n](double) { return n - 1; }, low, high, alpha);
}

std::optional<RatioRange> welch_ratio_range(const Sample& a, const Sample& b, double low, double high, double alpha) {
    check_range(low, high);
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const MeanVariances variances{a.standard_deviation * a.standard_deviation / static_cast<double>(a.n),
                                  b.standard_deviation * b.standard_deviation / static_cast<double>(b.n), 0};
    const auto freedom = [&](double ratio) {
        const double of_b = ratio * ratio * variances.b;
        return variances.at(ratio) * variances.at(ratio) /
               (variances.a * variances.a / static_cast<double>(a.n - 1) + of_b * of_b / static_cast<double>(b.n - 1));
    };
    return ratio_range(a.mean, b.mean, variances, freedom, low, high, alpha);
}

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
