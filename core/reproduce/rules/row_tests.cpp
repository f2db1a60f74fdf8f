#include "core/reproduce/rules/row_tests.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/stats/proportion.h"
#include "core/stats/t_test.h"

namespace ropelab {

namespace {

using Kind = VerdictRule::Kind;

std::int64_t count_events(const std::vector<double>& values) {
    return std::count_if(values.begin(), values.end(), [](double value) { return value > 0; });
}

MeanDifference with_interval(double value, double reference, double error, double freedom, double alpha) {
    MeanDifference result{value, std::nullopt, std::nullopt, reference};
    if (!(freedom > 0) || !std::isfinite(error)) return result;
    const double t = boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), alpha / 2));
    result.low = value - t * error;
    result.high = value + t * error;
    return result;
}

// Returns the values of `b` where both lists have a finite value.
std::vector<double> matched(std::span<const double> a, std::span<const double> b) {
    std::vector<double> result;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) result.push_back(b[i]);
    }
    return result;
}

// Returns p of the claim and of its refutation for counted events in a group and its baseline.
RowTests test_events(const VerdictRule& rule, std::int64_t events, std::int64_t n, std::int64_t others,
                     std::int64_t other_n) {
    RowTests tests;
    tests.events = events;
    tests.baseline_events = others;
    if (n < 2 || other_n < 2) return tests;
    const double more = fisher_greater_p(events, n, others, other_n);
    const double fewer = fisher_greater_p(others, other_n, events, n);
    const double fisher = rule.direction < 0 ? fewer : more;
    if (rule.kind == Kind::events) {
        tests.claim = fisher;
        if (rule.version < 3) {
            tests.refutation = rule.direction < 0 ? more : fewer;
        } else {
            tests.refutation = rule.direction < 0 ? p_of_difference_below(others, other_n, events, n, rule.margin)
                                                  : p_of_difference_below(events, n, others, other_n, rule.margin);
        }
    } else if (rule.direction < 0) {
        tests.claim = std::max(fisher, binomial_at_most(events, n, rule.bound));
        tests.refutation = binomial_at_least(events, n, rule.bound);
    } else {
        // The claim says that every run has the event: a run without it has the probability 0 if the claim is true.
        tests.claim = events < n ? 1 : std::max(fisher, binomial_at_least(events, n, rule.bound));
        tests.refutation = events < n && rule.version > 3 ? 0 : binomial_at_most(events, n, rule.bound);
    }
    return tests;
}

void set_event_effect(SheetRow& row, std::int64_t events, std::int64_t others) {
    const VerdictRule& rule = *row.plan.rule;
    if (row.ours.n == 0) return;
    if (rule.kind == Kind::events && rule.version > 2) {
        if (row.baseline.n == 0) return;
        const auto difference = proportion_difference(events, row.ours.n, others, row.baseline.n, rule.alpha);
        row.effect = RowEffect{RowEffect::Scale::proportion_difference,
                               difference.value,
                               difference.low,
                               difference.high,
                               -rule.margin,
                               rule.margin,
                               std::nullopt};
        return;
    }
    RowEffect& effect = row.effect.emplace();
    effect.scale = RowEffect::Scale::proportion;
    effect.value = static_cast<double>(events) / static_cast<double>(row.ours.n);
    const Interval interval = clopper_pearson(events, row.ours.n, rule.alpha);
    effect.low = interval.low;
    effect.high = interval.high;
    if (rule.kind != Kind::proportion) return;
    effect.range_low = rule.direction < 0 ? 0 : rule.bound;
    effect.range_high = rule.direction < 0 ? rule.bound : 1;
}

void set_percent_effect(SheetRow& row) {
    if (!row.difference_percent) return;
    const double unit = 100 / std::abs(row.reference);
    RowEffect& effect = row.effect.emplace();
    effect.value = *row.difference_percent;
    if (row.difference_low) effect.low = unit * *row.difference_low;
    if (row.difference_high) effect.high = unit * *row.difference_high;
    effect.range_low = -100 * row.plan.rule->margin;
    effect.range_high = 100 * row.plan.rule->margin;
    effect.paper = row.paper_difference_percent;
}

// Returns the standard deviation of the differences within pairs, or the pooled one of two groups.
double deviation_of(const SheetRow& row, double error_of_pairs, double freedom) {
    if (is_paired(row.plan)) return error_of_pairs * std::sqrt(freedom + 1);
    const auto error = student_error(row.ours, row.baseline);
    return (error ? error->standard_error : Description::unknown) /
           std::sqrt(1 / static_cast<double>(row.ours.n) + 1 / static_cast<double>(row.baseline.n));
}

RowTests test_size(SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    const auto range = is_paired(row.plan)
                           ? paired_ratio_range(row.values, row.paired_baseline_values, rule.low, rule.high, rule.alpha)
                           : welch_ratio_range(row.ours, row.baseline, rule.low, rule.high, rule.alpha);
    RowTests tests;
    if (!range) return tests;
    tests.claim = range->p_inside;
    tests.refutation = range->p_outside;
    const double middle = (rule.low + rule.high) / 2;
    tests.margin = (rule.high - rule.low) / 2 * row.reference;
    tests.shift = (range->ratio - middle) * row.reference;
    // Deviation of group − middle·baseline.
    std::vector<double> scaled = row.paired_baseline_values;
    for (double& value : scaled) value *= middle;
    tests.deviation =
        is_paired(row.plan)
            ? sample_of(paired_differences(row.values, scaled)).standard_deviation
            : std::hypot(row.ours.standard_deviation, middle * row.baseline.standard_deviation) / std::sqrt(2.0);
    RowEffect& effect = row.effect.emplace();
    effect.scale = RowEffect::Scale::ratio;
    effect.value = range->ratio;
    effect.low = range->interval_low;
    effect.high = range->interval_high;
    effect.range_low = rule.low;
    effect.range_high = rule.high;
    if (row.plan.paper && row.plan.paper_baseline && row.plan.paper_baseline->mean != 0) {
        effect.paper = row.plan.paper->mean / row.plan.paper_baseline->mean;
    }
    return tests;
}

RowTests test_means(SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    set_percent_effect(row);
    RowTests tests;
    tests.margin = rule.margin * std::abs(rule.version == 1 ? row.baseline.mean : row.reference);
    tests.shift = row.difference.value_or(0);
    if (!(tests.margin > 0)) return tests;
    const bool paired = is_paired(row.plan);
    const auto equivalence = paired ? paired_equivalence(row.values, row.paired_baseline_values, tests.margin)
                                    : welch_equivalence(row.ours, row.baseline, tests.margin);
    if (!equivalence) return tests;
    tests.deviation = deviation_of(row, equivalence->standard_error, equivalence->degrees_of_freedom);
    row.p_equivalence = equivalence->p;
    const double outside = rule.version == 1 ? equivalence->p_beyond : equivalence->p_outside;
    tests.claim = rule.kind == Kind::equivalence ? std::optional(equivalence->p) : paired ? row.p_paired : row.p_welch;
    tests.refutation = rule.kind == Kind::equivalence ? outside : equivalence->p;
    return tests;
}

// Returns the smaller number; a missing one means that no number is sufficient.
std::optional<std::int64_t> fewer_of(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
    if (a && b) return std::min(*a, *b);
    return a ? a : b;
}

// Returns the number of seeds with which the tests of a rule that counts events would be significant, as
// `is_significant` says, if the proportions stayed.
template <typename IsSignificant>
std::optional<std::int64_t> seeds_for_events(const SheetRow& row, const RowTests& tests,
                                             const IsSignificant& is_significant) {
    const double fraction = static_cast<double>(tests.events) / static_cast<double>(row.ours.n);
    const double other = static_cast<double>(tests.baseline_events) / static_cast<double>(row.baseline.n);
    return fewest_seeds([&](std::int64_t seeds) {
        const auto expected = [&](double of) { return std::llround(of * static_cast<double>(seeds)); };
        return is_significant(test_events(*row.plan.rule, expected(fraction), seeds, expected(other), seeds));
    });
}

}  // namespace

bool is_paired(const PlannedRow& row) {
    if (!row.rule) return true;
    const bool counts = row.rule->kind == Kind::events || row.rule->kind == Kind::proportion;
    return row.rule->test == TestKind::paired && !counts;
}

std::optional<MeanDifference> paired_difference(std::span<const double> a, std::span<const double> b, double alpha) {
    const Sample differences = sample_of(paired_differences(a, b));
    if (differences.n == 0) return std::nullopt;
    const auto n = static_cast<double>(differences.n);
    return with_interval(differences.mean, sample_of(matched(a, b)).mean, differences.standard_deviation / std::sqrt(n),
                         n - 1, alpha);
}

std::optional<MeanDifference> group_difference(const Sample& a, const Sample& b, double alpha) {
    if (a.n == 0 || b.n == 0) return std::nullopt;
    const auto test = welch_t_test(a, b);
    const auto variance = [](const Sample& sample) {
        return sample.standard_deviation * sample.standard_deviation / static_cast<double>(sample.n);
    };
    return with_interval(a.mean - b.mean, b.mean, std::sqrt(variance(a) + variance(b)),
                         test ? test->degrees_of_freedom : 0, alpha);
}

std::optional<MoreThan> p_of_more(std::span<const double> values, std::span<const double> others, double margin) {
    const double reference = std::abs(sample_of(matched(values, others)).mean);
    if (!(margin * reference > 0)) return std::nullopt;
    const auto test = paired_equivalence(values, others, margin * reference);
    if (!test) return std::nullopt;
    return MoreThan{100 * test->difference / reference, 1 - test->p_high};
}

std::optional<MoreThan> p_of_more(const Sample& sample, const Sample& other, double margin) {
    const double reference = std::abs(other.mean);
    if (!(margin * reference > 0)) return std::nullopt;
    const auto test = welch_equivalence(sample, other, margin * reference);
    if (!test) return std::nullopt;
    return MoreThan{100 * test->difference / reference, 1 - test->p_high};
}

RowTests test_row(SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    if (rule.kind == Kind::size) return test_size(row);
    if (rule.kind == Kind::difference || rule.kind == Kind::equivalence) return test_means(row);
    const std::int64_t events = count_events(row.values);
    const std::int64_t others = count_events(row.baseline_values);
    set_event_effect(row, events, others);
    return test_events(rule, events, row.ours.n, others, row.baseline.n);
}

std::optional<std::int64_t> seeds_to_decide(const SheetRow& row, const RowTests& tests, int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    const PowerRule power{rule.alpha / comparisons, rule.power};
    if (rule.kind == Kind::proportion) {
        return seeds_for_events(row, tests, [&](const RowTests& more) {
            return *more.claim < power.alpha || *more.refutation < power.alpha;
        });
    }
    if (rule.kind == Kind::events) {
        const double fraction = static_cast<double>(tests.events) / static_cast<double>(row.ours.n);
        const double other = static_cast<double>(tests.baseline_events) / static_cast<double>(row.baseline.n);
        const auto to_detect = seeds_to_detect_events(fraction, other, power);
        if (rule.version < 3) return to_detect;
        return fewer_of(to_detect, seeds_for_events(row, tests, [&](const RowTests& more) {
                            return *more.refutation < power.alpha;
                        }));
    }
    if (!row.difference) return std::nullopt;
    const bool paired = is_paired(row.plan);
    const SeedDesign design = paired ? SeedDesign::paired : SeedDesign::groups;
    const auto detect = [&](double difference, const PowerRule& how) {
        return paired ? pairs_to_detect(difference, tests.deviation, how)
                      : seeds_to_detect(difference, tests.deviation, how);
    };
    const auto to_show_inside = seeds_to_show_equivalence(tests.margin, tests.shift, tests.deviation, design, power);
    const double beyond = std::max(std::abs(tests.shift) - tests.margin, 0.0);
    // Version 1 tests one side at level α, which has the critical value of a two-sided test at 2α.
    const double level = rule.version == 1 ? 2 * power.alpha : power.alpha;
    const auto to_show_outside =
        rule.kind == Kind::difference ? detect(tests.shift, power) : detect(beyond, {level, power.power});
    return fewer_of(to_show_inside, to_show_outside);
}

}  // namespace ropelab
