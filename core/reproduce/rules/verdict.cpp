#include "core/reproduce/rules/verdict.h"

#include <cmath>

#include "core/data/known_sets.h"
#include "core/reproduce/rules/row_tests.h"
#include "core/reproduce/sheet_cells.h"
#include "core/results/results_cells.h"
#include "core/spec/numbers.h"
#include "core/stats/t_test.h"

namespace ropelab {

namespace {

using Kind = VerdictRule::Kind;

bool counts_events(const VerdictRule& rule) {
    return rule.kind == Kind::events || rule.kind == Kind::proportion;
}

std::string of_text(std::int64_t count, std::int64_t all) {
    return std::to_string(count) + " of " + std::to_string(all);
}

// Returns the interval of the row's effect in words: " (95 % interval 0.43 to 0.52)"; "" if there is none.
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
        return of_text(tests.events, row.ours.n) + " runs of the group have the event, against " +
               of_text(tests.baseline_events, row.baseline.n) + " of the baseline, a difference of " +
               (row.effect ? fixed_text(100 * row.effect->value, 1) : "–") + " percentage points" + interval_words(row);
    }
    if (counts_events(rule)) {
        return of_text(tests.events, row.ours.n) + " runs of the group have the event" + interval_words(row) +
               ", against " + of_text(tests.baseline_events, row.baseline.n) + " of the baseline";
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

// Returns how many runs failed: "2 of 10 runs of the group and 1 of 10 of the baseline failed or diverged".
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
    return "The control's mean differs from " +
           std::string(is_old                       ? "the baseline's"
                       : row.plan.control_reference ? "that of the group that it is compared with"
                                                    : "that of the models with positions") +
           " by " + signed_percent(row.control_percent) + " % (p = " + p_text(row.control_p) +
           "), which is not significantly more than the margin" + (is_old ? "" : ": " + row.plan.control_shows) +
           ", so that equal results would be no evidence. A test requires longer training or larger models.";
}

// Returns whether the row's difference is against the direction of its claim.
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

void set_undecided(SheetRow& row, const RowTests& tests, double claim, int comparisons) {
    row.verdict = SheetVerdict::undecided;
    row.seeds_to_decide = seeds_to_decide(row, tests, comparisons);
    row.words = observed_words(row, tests) + ", " + p_words(claim) + " after Holm's correction. " +
                (row.seeds_to_decide ? "About " + std::to_string(*row.seeds_to_decide) +
                                           " seeds per group would decide if the true difference were the observed one."
                                     : "No number of seeds up to " + std::to_string(max_seeds) +
                                           " would decide if the true difference were the observed one.");
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
            "No run of the baseline has the event, so the test cannot show that the group prevents it. A test requires "
            "models, learning rates or a training length at which the event occurs.";
    } else if (row.plan.control && !control_passes(row) && !needs_no_control(row, is_claimed, is_refuted)) {
        row.verdict = SheetVerdict::not_testable;
        row.words = control_words(row);
    } else if (is_of_survivors(row)) {
        row.verdict = SheetVerdict::undecided;
        row.words = failed_words(row) + ", so that the means compare only the surviving runs. " + observed + ", " +
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
            tests[i] = test_row(row);
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
