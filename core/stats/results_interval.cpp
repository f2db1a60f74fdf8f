#include "core/stats/results_interval.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/stats/results_clocks.h"

namespace ropelab {

namespace {

// Returns the 0.975 quantile of Student's t distribution.
double quantile(double degrees_of_freedom) {
    return boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
}

std::vector<double> finite(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    return values;
}

}  // namespace

std::vector<SeedDifference> seed_differences(const ResultGroup& group, const ResultGroup& reference,
                                             std::size_t measure) {
    const std::vector<double> values = group.values(measure);
    const std::vector<double> others = reference.values(measure);
    std::vector<SeedDifference> result;
    for (std::size_t i = 0; i < group.seeds.size(); ++i) {
        const auto found = std::find(reference.seeds.begin(), reference.seeds.end(), group.seeds[i]);
        if (found == reference.seeds.end()) continue;
        const double other = others[static_cast<std::size_t>(found - reference.seeds.begin())];
        const double difference = values[i] - other;
        if (std::isfinite(difference)) result.push_back({group.seeds[i], difference, other});
    }
    return result;
}

std::optional<DifferenceInterval> difference_interval(const ResultGroup& group, const ResultGroup& reference,
                                                      std::size_t measure, TestKind test) {
    DifferenceInterval result;
    if (!is_testable(group, reference, measure)) {
        const Description ours = describe_measure(group, measure), theirs = describe_measure(reference, measure);
        if (ours.n == 0 || theirs.n == 0) return std::nullopt;
        return DifferenceInterval{ours.mean - theirs.mean, Description::unknown, Description::unknown, theirs.mean, 1};
    }
    if (test == TestKind::paired) {
        std::vector<double> differences;
        std::vector<double> references;
        for (const SeedDifference& each : seed_differences(group, reference, measure)) {
            differences.push_back(each.difference);
            references.push_back(each.reference);
        }
        const Description described = describe(differences);
        if (described.n == 0) return std::nullopt;
        return DifferenceInterval{described.mean, described.confidence_low, described.confidence_high,
                                  describe(references).mean, static_cast<int>(described.n)};
    }
    const std::vector<double> ours = finite(group.values(measure));
    const std::vector<double> theirs = finite(reference.values(measure));
    if (ours.empty() || theirs.empty()) return std::nullopt;
    const Sample a = sample_of(ours);
    const Sample b = sample_of(theirs);
    result.difference = a.mean - b.mean;
    result.reference = b.mean;
    result.values = static_cast<int>(a.n);
    if (a.n < 2 || b.n < 2) return result;
    double error = 0;
    double freedom = 0;
    if (test == TestKind::student) {
        error = standard_error_of_difference(a, b);
        freedom = static_cast<double>(a.n + b.n - 2);
    } else {
        const auto welch = welch_error(a, b);
        if (!welch) return result;
        error = welch->standard_error;
        freedom = welch->degrees_of_freedom;
    }
    if (!(error > 0)) return result;
    result.low = result.difference - quantile(freedom) * error;
    result.high = result.difference + quantile(freedom) * error;
    return result;
}

}  // namespace ropelab
