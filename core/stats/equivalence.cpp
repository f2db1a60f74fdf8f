#include "core/stats/equivalence.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

void check_margin(double margin) {
    if (margin > 0 && std::isfinite(margin)) return;
    throw BadInput("The margin of an equivalence is " + number_text(margin) + ", but it must be more than 0.");
}

// Computes the two one-sided tests. `test` is the t test of no difference; it is nullopt if no test is possible.
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
    if (a.n < 2 || b.n < 2) return std::nullopt;
    const double error = std::sqrt(a.standard_deviation * a.standard_deviation / static_cast<double>(a.n) +
                                   b.standard_deviation * b.standard_deviation / static_cast<double>(b.n));
    return equivalence(welch_t_test(a, b), a.mean - b.mean, error, margin);
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
        const boost::math::non_central_t distribution(freedom, noncentrality);
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
    return fewest_seeds([&](std::int64_t seeds) {
        const double n = static_cast<double>(seeds);
        return t_test_power(effect * std::sqrt(n), n - 1, rule.alpha) >= rule.power;
    });
}

}  // namespace ropelab
