#include "core/reproduce/rules/verdict.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/base/numbers.h"
#include "core/results/results_cells.h"
#include "core/stats/proportion.h"
#include "core/stats/t_test.h"

namespace ropelab {

namespace {

using Kind = VerdictRule::Kind;

bool counts_events(const VerdictRule& rule) {
    return rule.kind == Kind::events || rule.kind == Kind::proportion;
}

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

std::vector<double> matched(std::span<const double> a, std::span<const double> b) {
    std::vector<double> result;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) result.push_back(b[i]);
    }
    return result;
}

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

// Within pairs, or the pooled one of two groups.
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

// A missing number means that none is sufficient.
std::optional<std::int64_t> fewer_of(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
    if (a && b) return std::min(*a, *b);
    return a ? a : b;
}

// If the proportions stayed; `is_significant` decides.
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
    return row.rule->test == TestKind::paired && !counts_events(*row.rule);
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

SequentialRow sequential_row(const VerdictRule& rule, std::span<const double> values,
                             std::span<const double> baseline) {
    using Process = EvidenceSide::Process;
    const Statement different = statement_different(values, baseline);
    const std::vector<double>& more = different.sides.front().values;  // −1, 0 or 1 for events
    const std::vector<double> own(values.begin(), values.end());
    std::vector<double> toward = more;  // positive against the direction of the claim
    if (rule.direction > 0) std::ranges::transform(toward, toward.begin(), std::negate<>());
    std::vector<double> away = toward;
    std::ranges::transform(away, away.begin(), std::negate<>());
    const EvidenceSide shifted{Process::balance_below, toward};
    SequentialRow row;
    row.pairs = std::ssize(values);
    switch (rule.kind) {
        case Kind::difference:
            row.claim = different;
            row.refutation = statement_ratio_inside(values, baseline, 1 - rule.margin, 1 + rule.margin);
            break;
        case Kind::equivalence:
            row.claim = statement_ratio_inside(values, baseline, 1 - rule.margin, 1 + rule.margin);
            row.refutation = statement_ratio_outside(values, baseline, 1 - rule.margin, 1 + rule.margin);
            break;
        case Kind::size:
            row.claim = statement_ratio_inside(values, baseline, rule.low, rule.high);
            row.refutation = statement_ratio_outside(values, baseline, rule.low, rule.high);
            break;
        case Kind::events:
            row.claim = {{shifted}, false};
            row.refutation = {{{Process::balance_below, away, rule.margin}}, false};
            break;
        case Kind::proportion:
            row.claim = {{shifted, {rule.direction < 0 ? Process::rate_below : Process::rate_above, own, rule.bound}},
                         true};
            row.refutation = {{{rule.direction < 0 ? Process::rate_above : Process::counterexample, own, rule.bound}},
                              false};
            break;
    }
    if (!counts_events(rule)) row.differences = more;
    return row;
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

namespace {

std::string of_text(std::int64_t count, std::int64_t all) {
    return std::to_string(count) + " of " + std::to_string(all);
}

// " (95 % interval 0.43 to 0.52)"; "" if there is none.
std::string interval_words(const SheetRow& row) {
    if (!row.effect || !row.effect->low || !row.effect->high || row.plan.rule->version == 1) return "";
    const auto text = [&](double end) {
        if (row.effect->scale == RowEffect::Scale::percent) return signed_percent(end);
        return row.effect->scale == RowEffect::Scale::ratio ? fixed_text(end, 3) : fixed_text(100 * end, 1);
    };
    const bool has_unit =
        row.effect->scale == RowEffect::Scale::percent || row.effect->scale == RowEffect::Scale::proportion;
    const std::string unit = has_unit ? " %" : "";
    return " (" + percent_text(1 - row.plan.rule->alpha) + " % interval " + text(*row.effect->low) + " to " +
           text(*row.effect->high) + unit + ")";
}

std::string observed_words(const SheetRow& row, const RowTests& tests) {
    const VerdictRule& rule = *row.plan.rule;
    if (rule.kind == Kind::events && rule.version > 2) {
        return of_text(tests.events, row.ours.n) + " runs of the group have the event (a loss spike), against " +
               of_text(tests.baseline_events, row.baseline.n) + " of the baseline, a difference of " +
               (row.effect ? fixed_text(100 * row.effect->value, 1) : "–") + " percentage points" + interval_words(row);
    }
    if (counts_events(rule)) {
        return of_text(tests.events, row.ours.n) + " runs of the group have the event (a loss spike)" +
               interval_words(row) + ", against " + of_text(tests.baseline_events, row.baseline.n) + " of the baseline";
    }
    if (rule.kind == Kind::size) {
        return "The group's mean divided by the baseline's is " +
               (row.effect ? fixed_text(row.effect->value, 3) : "–") + interval_words(row);
    }
    // A loss belongs to a length of training: models that learn slowly are worse after few steps only.
    const bool names_steps = row.spec && is_loss(row.plan.measure);
    return (names_steps ? "After " + grouped(row.spec->iterations) + " steps the" : std::string("The")) +
           " group's mean differs from the baseline's by " + signed_percent(row.difference_percent) + " %" +
           interval_words(row);
}

// "2 of 10 runs of the group and 1 of 10 of the baseline failed or diverged".
std::string failed_words(const SheetRow& row) {
    std::string words;
    if (row.failed > 0) words = of_text(row.failed, std::ssize(row.values)) + " runs of the group";
    if (row.baseline_failed > 0) {
        words += (words.empty() ? "" : " and ") + of_text(row.baseline_failed, std::ssize(row.baseline_values)) +
                 (words.empty() ? " runs of the baseline" : " of the baseline");
    }
    return words + " failed or diverged";
}

// Rows of losses, times and speeds compare all runs: means over the survivors would be a different claim.
bool is_of_survivors(const SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    return rule.version > 1 && !counts_events(rule) && row.failed + row.baseline_failed > 0;
}

bool control_passes(const SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    const bool is_significant = row.control_p && *row.control_p < rule.alpha;
    return is_significant && (rule.version > 1 || std::abs(*row.control_percent) > 100 * rule.margin);
}

std::string control_words(const SheetRow& row) {
    const bool is_old = row.plan.rule->version == 1;
    return "The mean of the control (a group that must be worse if the test works) differs from " +
           std::string(is_old                       ? "the baseline's"
                       : row.plan.control_reference ? "that of its reference group"
                                                    : "that of the models with position encoding") +
           " by " + signed_percent(row.control_percent) + " % (p = " + p_text(row.control_p) +
           "), which is not significantly more than the margin" + (is_old ? "" : ": " + row.plan.control_shows) +
           ", so equal results would be no evidence. A test requires longer training or larger models.";
}

bool is_opposite(const SheetRow& row) {
    return row.plan.rule->kind == Kind::difference && row.difference.value_or(0) * row.plan.rule->direction < 0;
}

// A control guards against taking equal results of models without use for positions as evidence. A significant
// difference of group and baseline, not shown to be smaller than the margin, is no such result.
bool needs_no_control(const SheetRow& row, bool is_claimed, bool is_refuted) {
    const VerdictRule& rule = *row.plan.rule;
    if (rule.version < 3) return row.plan.group == *row.plan.control && is_claimed && is_opposite(row);
    return rule.kind == Kind::difference && is_claimed && !is_refuted;
}

std::string refuted_words(const SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    switch (rule.kind) {
        case Kind::equivalence:
            return ", more than the margin.";
        case Kind::size:
            return ", outside the range " + number_text(rule.low) + " to " + number_text(rule.high) + ".";
        case Kind::proportion:
            if (rule.direction > 0 && rule.version > 3) {
                return ": a run without the event is a counterexample to a claim about every run.";
            }
            return ", a probability " + std::string(rule.direction < 0 ? "above " : "below ") +
                   percent_text(rule.bound) + " %.";
        case Kind::events:
            if (rule.version < 3) break;
            return ": the probability of the event is not " + std::string(rule.direction < 0 ? "lower" : "higher") +
                   " than the baseline's by " + percent_text(rule.margin) + " percentage points or more.";
        case Kind::difference:
            break;
    }
    return ", against the direction of the claim.";
}

// " (95 % interval 14 … 90, because …)"; "" for events.
std::string seeds_interval_words(const SheetRow& row, const RowTests& tests, int comparisons) {
    if (!(tests.deviation > 0) || row.ours.n < 2) return "";
    const auto [low, high] = deviation_factors(static_cast<double>(row.ours.n) - 1);
    const auto number = [&](double factor) {
        RowTests scaled = tests;
        scaled.deviation *= factor;
        const auto seeds = seeds_to_decide(row, scaled, comparisons);
        return seeds ? std::to_string(*seeds) : "more than " + std::to_string(max_seeds);
    };
    return " (95 % interval " + number(low) + " … " + number(high) + ", because the standard deviation is an estimate)";
}

void set_undecided(SheetRow& row, const RowTests& tests, double claim, int comparisons) {
    row.verdict = SheetVerdict::undecided;
    row.seeds_to_decide = seeds_to_decide(row, tests, comparisons);
    row.words =
        observed_words(row, tests) + ", " + p_words(claim) + " after Holm's correction. " +
        (row.seeds_to_decide ? "About " + std::to_string(*row.seeds_to_decide) + " seeds per group" +
                                   (row.sequential ? seeds_interval_words(row, tests, comparisons) : "") +
                                   " would decide the claim if the true difference were equal to the observed one."
                             : "No number of seeds up to " + std::to_string(max_seeds) +
                                   " would decide the claim if the true difference were equal to the observed one.");
}

void set_untested(SheetRow& row) {
    row.verdict = SheetVerdict::undecided;
    row.words = row.ours.n < 2 || row.baseline.n < 2
                    ? "A test needs two finite values or more in the group and in the baseline."
                    : "No test: all seeds have equal values, so they are copies and not independent measurements.";
    if (is_of_survivors(row)) row.words += ' ' + failed_words(row) + '.';
}

void decide(SheetRow& row, const RowTests& tests, std::optional<double> claim, std::optional<double> refutation,
            int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    row.p_rule = tests.claim;
    row.p_holm = claim;
    row.p_refutation = refutation;
    if (!claim || !refutation) return set_untested(row);
    const std::string observed = observed_words(row, tests);
    const bool is_claimed = *claim < rule.alpha;
    const bool is_refuted = *refutation < rule.alpha;
    if (counts_events(rule) && rule.direction < 0 && tests.baseline_events == 0) {
        row.verdict = SheetVerdict::not_testable;
        row.words =
            "No run of the baseline has the event (a loss spike), so the test cannot show that the group prevents "
            "spikes. A test requires models, learning rates or a training length at which the event occurs.";
    } else if (row.plan.control && !control_passes(row) && !needs_no_control(row, is_claimed, is_refuted)) {
        row.verdict = SheetVerdict::not_testable;
        row.words = control_words(row);
    } else if (is_of_survivors(row)) {
        row.verdict = SheetVerdict::undecided;
        row.words = failed_words(row) + ", so the means compare only the surviving runs. " + observed + ", " +
                    p_words(*claim) + " after Holm's correction.";
    } else if (rule.kind == Kind::difference && is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.is_by_refutation = true;
        row.words = observed + ", " + p_words(*refutation) +
                    " after Holm's correction: the means are equivalent within ±" + percent_text(rule.margin) + " %";
        row.words +=
            is_claimed ? ". The difference is significant (" + p_words(*claim) + ") but smaller than the margin." : ".";
    } else if (is_claimed && !(counts_events(rule) && is_refuted)) {
        row.verdict = is_opposite(row) ? SheetVerdict::not_reproduced : SheetVerdict::reproduced;
        row.words = observed + ", " + p_words(*claim) + " after Holm's correction" +
                    (is_opposite(row) ? ", against the direction of the claim." : ".");
    } else if (is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.is_by_refutation = true;
        row.words = observed + ", " + p_words(*refutation) + " after Holm's correction" + refuted_words(row);
    } else {
        set_undecided(row, tests, *claim, comparisons);
    }
}

}  // namespace

void decide(std::span<SheetRow> rows) {
    std::map<std::string, std::vector<std::size_t>> families;
    std::map<std::size_t, RowTests> tests;
    std::map<std::string, int> waiting;  // Holm's correction over a part of a family would be a different rule
    for (const SheetRow& row : rows) {
        if (!row.plan.rule || !row.plan.out_of_reach.empty()) continue;
        const bool is_open = row.sequential && row.sequential->end == SequentialResult::End::open;
        waiting[row.plan.rule->family] += row.sequential ? (is_open ? 1 : 0) : row.waiting;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        SheetRow& row = rows[i];
        if (!row.plan.out_of_reach.empty()) {
            row.verdict = SheetVerdict::not_testable;
            row.words = row.plan.out_of_reach;
        } else if (!row.plan.rule || !row.plan.baseline) {
            row.verdict = row.waiting > 0 ? SheetVerdict::unfinished : SheetVerdict::shown;
        } else if (waiting[row.plan.rule->family] > 0) {
            row.verdict = SheetVerdict::unfinished;
            row.words =
                "The verdict requires that all runs of the row's family (the rows whose p values are corrected "
                "together) have ended and are measured.";
        } else {
            tests[i] = test_row(row);
            if (row.sequential) {
                tests[i].claim = row.sequential->p;
                tests[i].refutation = row.sequential->p_refutation;
            }
            families[row.plan.rule->family].push_back(i);
        }
    }
    for (const auto& [family, members] : families) {
        std::vector<std::optional<double>> claims, refutations;
        for (const std::size_t i : members) {
            claims.push_back(tests[i].claim);
            refutations.push_back(tests[i].refutation);
        }
        const auto corrected = holm(claims);
        const auto against = holm(refutations);
        const auto comparisons = static_cast<int>(members.size());
        for (std::size_t j = 0; j < members.size(); ++j) {
            decide(rows[members[j]], tests[members[j]], corrected[j], against[j], comparisons);
        }
    }
}

namespace {

bool is_tested(const SheetRow& row) {
    return row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
           row.verdict == SheetVerdict::undecided;
}

// Corrected within its family.
double refuting_p(const SheetRow& row) {
    const double p = row.p_refutation.value_or(1);
    return is_opposite(row) ? std::min(p, row.p_holm.value_or(1)) : p;
}

// Each family of rows is tested at the level α, so that several families would refute a true claim more often;
// Bonferroni's correction over the families keeps the level.
bool refutes_claim(const std::vector<const SheetRow*>& rows) {
    std::set<std::string> families;
    for (const SheetRow* row : rows) {
        if (is_tested(*row)) families.insert(row->plan.rule->family);
    }
    const auto count = static_cast<double>(families.size());
    return std::any_of(rows.begin(), rows.end(), [&](const SheetRow* row) {
        return row->verdict == SheetVerdict::not_reproduced &&
               (families.size() == 1 || count * refuting_p(*row) < row->plan.rule->alpha);
    });
}

SheetVerdict overall_verdict(const ClaimVerdict& claim, const std::vector<const SheetRow*>& rows) {
    if (claim.rows == 0) return SheetVerdict::shown;
    if (claim.unfinished > 0) return SheetVerdict::unfinished;
    if (claim.not_testable == claim.rows) return SheetVerdict::not_testable;
    if (refutes_claim(rows)) return SheetVerdict::not_reproduced;
    return claim.reproduced == claim.rows ? SheetVerdict::reproduced : SheetVerdict::undecided;
}

std::string capitalized(std::string words) {
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    return words;
}

std::string claim_words(const ClaimVerdict& claim) {
    if (claim.rows == 0) return "";
    std::string words = capitalized(to_string(claim.verdict));
    if (claim.verdict == SheetVerdict::unfinished) {
        return words + ": " + std::to_string(claim.unfinished) + " of " + counted(claim.rows, "row") +
               " have no verdict yet.";
    }
    if (claim.verdict == SheetVerdict::not_testable) {
        return words + ": " +
               (claim.rows == 1 ? "the claim's only row is"
                                : "none of the claim's " + counted(claim.rows, "row") + " is") +
               (claim.rows == 1 ? " not testable." : " testable.");
    }
    if (claim.reproduced == claim.rows) {
        return words + ": holds for " + (claim.rows == 1 ? "its one row." : "all " + counted(claim.rows, "row") + ".");
    }
    words += ": holds for " + std::to_string(claim.reproduced) + " of " + counted(claim.rows, "row");
    std::string others;
    const std::pair<int, SheetVerdict> counts[] = {{claim.not_reproduced, SheetVerdict::not_reproduced},
                                                   {claim.undecided, SheetVerdict::undecided},
                                                   {claim.not_testable, SheetVerdict::not_testable}};
    for (const auto& [count, verdict] : counts) {
        if (count > 0) others += (others.empty() ? "; " : ", ") + std::to_string(count) + " " + to_string(verdict);
    }
    words += others + ".";
    if (claim.verdict == SheetVerdict::undecided && claim.not_reproduced > 0) {
        words +=
            " The refutation is not significant after Bonferroni's correction over the families of the claim's rows.";
    }
    return words;
}

// `rows`: those of the claim `id` or a part of them.
ClaimVerdict verdict_over(const std::string& id, const std::vector<const SheetRow*>& rows) {
    ClaimVerdict claim;
    claim.claim = id;
    const auto count = [&](SheetVerdict verdict) {
        return static_cast<int>(
            std::count_if(rows.begin(), rows.end(), [&](const SheetRow* row) { return row->verdict == verdict; }));
    };
    claim.reproduced = count(SheetVerdict::reproduced);
    claim.not_reproduced = count(SheetVerdict::not_reproduced);
    claim.undecided = count(SheetVerdict::undecided);
    claim.not_testable = count(SheetVerdict::not_testable);
    claim.unfinished = count(SheetVerdict::unfinished);
    claim.rows = claim.reproduced + claim.not_reproduced + claim.undecided + claim.not_testable + claim.unfinished;
    claim.verdict = overall_verdict(claim, rows);
    claim.words = claim_words(claim);
    return claim;
}

// If rows have several lengths of training: the verdict at which all of them agree.
void agree(ClaimVerdict& claim, const std::map<std::int64_t, std::vector<const SheetRow*>>& by_steps) {
    if (by_steps.size() < 2 || claim.verdict == SheetVerdict::unfinished) return;
    std::set<SheetVerdict> verdicts;
    std::string words;
    for (const auto& [steps, rows] : by_steps) {
        const ClaimVerdict part = verdict_over(claim.claim, rows);
        verdicts.insert(part.verdict);
        words += " After " + grouped(steps) + " steps: " + part.words;
    }
    const bool is_agreed = verdicts.size() == 1;
    claim.verdict = is_agreed ? *verdicts.begin() : SheetVerdict::undecided;
    claim.words =
        capitalized(to_string(claim.verdict)) +
        (is_agreed ? " at all lengths of training." : ": the verdict depends on the length of the training.") + words;
}

}  // namespace

std::vector<ClaimVerdict> claim_verdicts(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::vector<ClaimVerdict> result;
    for (const Claim& each : plan.claims) {
        std::vector<const SheetRow*> own;
        std::map<std::int64_t, std::vector<const SheetRow*>> by_steps;
        for (const SheetRow& row : rows) {
            if (row.plan.claim != each.id || !row.plan.rule) continue;
            own.push_back(&row);
            by_steps[row.plan.keys.value("iterations", std::int64_t{0})].push_back(&row);
        }
        agree(result.emplace_back(verdict_over(each.id, own)), by_steps);
    }
    return result;
}

}  // namespace ropelab
