#include "core/reproduce/verdict.h"

#include <algorithm>
#include <cmath>

#include "core/spec/numbers.h"
#include "core/stats/equivalence.h"
#include "core/stats/events.h"
#include "core/stats/holm.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

using Kind = VerdictRule::Kind;

// Tests of one row: p of the claim, p of the claim's refutation, and what the number of seeds is computed from.
struct Tests {
    std::optional<double> claim, refutation;
    double margin = 0;  // in the unit of the measure
    bool paired = false;
    double deviation = 0;  // standard deviation of the paired differences, or the pooled one of the groups
    std::int64_t events = 0, baseline_events = 0;
};

std::int64_t count_events(const std::vector<double>& values) {
    return std::count_if(values.begin(), values.end(), [](double value) { return value > 0; });
}

Tests tests_of(SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    Tests tests;
    if (rule.kind == Kind::events) {
        tests.events = count_events(row.values);
        tests.baseline_events = count_events(row.baseline_values);
        if (row.ours.n < 2 || row.baseline.n < 2) return tests;
        const double more = fisher_greater_p(tests.events, row.ours.n, tests.baseline_events, row.baseline.n);
        const double fewer = fisher_greater_p(tests.baseline_events, row.baseline.n, tests.events, row.ours.n);
        tests.claim = rule.direction < 0 ? fewer : more;
        tests.refutation = rule.direction < 0 ? more : fewer;
        return tests;
    }
    tests.margin = rule.margin * std::abs(row.baseline.mean);
    if (!(tests.margin > 0)) return tests;
    tests.paired = rule.test == TestKind::paired;
    const auto equivalence = tests.paired ? paired_equivalence(row.values, row.paired_baseline_values, tests.margin)
                                          : welch_equivalence(row.ours, row.baseline, tests.margin);
    if (!equivalence) return tests;
    tests.deviation =
        tests.paired ? equivalence->standard_error * std::sqrt(equivalence->degrees_of_freedom + 1)
                     : standard_error_of_difference(row.ours, row.baseline) /
                           std::sqrt(1 / static_cast<double>(row.ours.n) + 1 / static_cast<double>(row.baseline.n));
    row.p_equivalence = equivalence->p;
    const auto no_difference = tests.paired ? row.p_paired : row.p_welch;
    tests.claim = rule.kind == Kind::equivalence ? std::optional(equivalence->p) : no_difference;
    tests.refutation = rule.kind == Kind::equivalence ? equivalence->p_beyond : equivalence->p;
    return tests;
}

// Returns the number of seeds per group that would decide, at the first and strictest step of Holm's correction: α
// divided by the number of comparisons in the family.
std::optional<std::int64_t> seeds_for(const SheetRow& row, const Tests& tests, int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    if (!row.difference) return std::nullopt;
    const PowerRule power{rule.alpha / comparisons, rule.power};
    const SeedDesign design = tests.paired ? SeedDesign::paired : SeedDesign::groups;
    const auto detect = [&](double difference, const PowerRule& how) {
        return tests.paired ? pairs_to_detect(difference, tests.deviation, how)
                            : seeds_to_detect(difference, tests.deviation, how);
    };
    const auto to_show_equivalence =
        seeds_to_show_equivalence(tests.margin, *row.difference, tests.deviation, design, power);
    const double beyond = std::abs(*row.difference) - tests.margin;
    // A one-sided test at level α has the critical value of a two-sided test at 2α.
    const auto to_show_difference = rule.kind == Kind::equivalence
                                        ? detect(std::max(beyond, 0.0), {2 * power.alpha, power.power})
                                        : detect(*row.difference, power);
    if (to_show_equivalence && to_show_difference) return std::min(*to_show_equivalence, *to_show_difference);
    return to_show_equivalence ? to_show_equivalence : to_show_difference;
}

std::optional<std::int64_t> seeds_for_events(const SheetRow& row, const Tests& tests, int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    const double fraction = static_cast<double>(tests.events) / static_cast<double>(row.ours.n);
    const double baseline = static_cast<double>(tests.baseline_events) / static_cast<double>(row.baseline.n);
    return seeds_to_detect_events(fraction, baseline, {rule.alpha / comparisons, rule.power});
}

std::string observed_words(const SheetRow& row, const Tests& tests) {
    if (row.plan.rule->kind == Kind::events) {
        return std::to_string(tests.events) + " of " + std::to_string(row.ours.n) +
               " runs of the group have the event, against " + std::to_string(tests.baseline_events) + " of " +
               std::to_string(row.baseline.n) + " of the baseline";
    }
    return "The group's mean differs from the baseline's by " + signed_percent(row.difference_percent) + " %";
}

bool control_differs(const SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    return row.control_p && *row.control_p < rule.alpha && std::abs(*row.control_percent) > 100 * rule.margin;
}

void decide(SheetRow& row, const Tests& tests, std::optional<double> claim, std::optional<double> refutation,
            int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    row.p_rule = tests.claim;
    row.p_holm = claim;
    const std::string observed = observed_words(row, tests);
    if (!claim || !refutation) {
        row.verdict = SheetVerdict::undecided;
        row.words = row.ours.n < 2 || row.baseline.n < 2
                        ? "A test needs two finite values or more in the group and in the baseline."
                        : "No test: all seeds have equal values, so they are copies and not independent measurements.";
        return;
    }
    if (rule.kind == Kind::events && rule.direction < 0 && tests.baseline_events == 0) {
        row.verdict = SheetVerdict::not_testable;
        row.words =
            "No run of the baseline has the event, so that there is nothing to remove. A test requires models, "
            "learning "
            "rates or a training length at which the event occurs.";
        return;
    }
    if (row.plan.control && !control_differs(row)) {
        row.verdict = SheetVerdict::not_testable;
        row.words = "The control's mean differs from the baseline's by " + signed_percent(row.control_percent) +
                    " % (p = " + p_text(row.control_p) +
                    "), which is not significantly more than the margin, so that equal results would show nothing. A "
                    "test requires " +
                    "longer training or larger models.";
        return;
    }
    const bool is_claimed = *claim < rule.alpha;
    const bool is_refuted = *refutation < rule.alpha;
    if (rule.kind == Kind::difference && is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.words = observed + ", " + p_words(*refutation) +
                    " after Holm's correction: the means are equivalent within ±" + percent_text(rule.margin) + " %";
        row.words +=
            is_claimed ? ". The difference is significant (" + p_words(*claim) + ") but smaller than the margin." : ".";
    } else if (is_claimed) {
        const bool is_opposite = rule.kind == Kind::difference && row.difference.value_or(0) * rule.direction < 0;
        row.verdict = is_opposite ? SheetVerdict::not_reproduced : SheetVerdict::reproduced;
        row.words = observed + ", " + p_words(*claim) + " after Holm's correction" +
                    (is_opposite ? ", against the direction of the claim." : ".");
    } else if (is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.words =
            observed + ", " + p_words(*refutation) + " after Holm's correction" +
            (rule.kind == Kind::equivalence ? ", more than the margin." : ", against the direction of the claim.");
    } else {
        row.verdict = SheetVerdict::undecided;
        row.seeds_to_decide =
            rule.kind == Kind::events ? seeds_for_events(row, tests, comparisons) : seeds_for(row, tests, comparisons);
        row.words =
            observed + ", " + p_words(*claim) + " after Holm's correction. " +
            (row.seeds_to_decide ? "About " + std::to_string(*row.seeds_to_decide) +
                                       " seeds per group would decide if the true difference were the observed one."
                                 : "No number of seeds up to " + std::to_string(max_seeds) +
                                       " would decide if the true difference were the observed one.");
    }
}

}  // namespace

void decide(std::span<SheetRow> rows) {
    std::map<std::string, std::vector<std::size_t>> families;
    std::map<std::size_t, Tests> tests;
    std::map<std::string, int> waiting;  // Holm's correction over a part of a family would be a different rule
    for (const SheetRow& row : rows) {
        if (row.plan.rule && row.plan.out_of_reach.empty()) waiting[row.plan.rule->family] += row.waiting;
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
            row.words = "The verdict requires that all runs of the row's family have ended and are measured.";
        } else {
            tests[i] = tests_of(row);
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

}  // namespace ropelab
