#include "core/experiment/sheets/judge.h"

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

// The tests of one row: of what is claimed, and of what would refute it.
struct Tests {
    std::optional<double> claim, refutation;
    double margin = 0;  // in the measure's unit
    bool paired = false;
    double deviation = 0;  // of the differences within pairs, or of a group (pooled)
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
        const double more = fisher_more(tests.events, row.ours.n, tests.baseline_events, row.baseline.n);
        const double fewer = fisher_more(tests.baseline_events, row.baseline.n, tests.events, row.ours.n);
        tests.claim = rule.direction < 0 ? fewer : more;
        tests.refutation = rule.direction < 0 ? more : fewer;
        return tests;
    }
    tests.margin = rule.margin * std::abs(row.baseline.mean);
    if (!(tests.margin > 0)) return tests;
    tests.paired = rule.test == TestKind::paired;
    const auto equivalence = tests.paired ? paired_equivalence(row.values, row.mates, tests.margin)
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

// At the first step of Holm's correction, which is the strictest: α over all comparisons of the family.
std::optional<std::int64_t> seeds_for(const SheetRow& row, const Tests& tests, int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    if (!row.difference) return std::nullopt;
    const PowerRule power{rule.alpha / comparisons, rule.power};
    const SeedDesign design = tests.paired ? SeedDesign::paired : SeedDesign::groups;
    const auto detect = [&](double difference, const PowerRule& how) {
        return tests.paired ? pairs_to_detect(difference, tests.deviation, how)
                            : seeds_to_detect(difference, tests.deviation, how);
    };
    const auto alike = seeds_to_show_equivalence(tests.margin, *row.difference, tests.deviation, design, power);
    const double beyond = std::abs(*row.difference) - tests.margin;
    // A one-sided test at α is a two-sided one at 2α.
    const auto apart = rule.kind == Kind::equivalence ? detect(std::max(beyond, 0.0), {2 * power.alpha, power.power})
                                                      : detect(*row.difference, power);
    if (alike && apart) return std::min(*alike, *apart);
    return alike ? alike : apart;
}

std::optional<std::int64_t> seeds_for_events(const SheetRow& row, const Tests& tests, int comparisons) {
    const VerdictRule& rule = *row.plan.rule;
    const double share = static_cast<double>(tests.events) / static_cast<double>(row.ours.n);
    const double baseline = static_cast<double>(tests.baseline_events) / static_cast<double>(row.baseline.n);
    return seeds_to_tell_events(share, baseline, {rule.alpha / comparisons, rule.power});
}

std::string seen_words(const SheetRow& row, const Tests& tests) {
    if (row.plan.rule->kind == Kind::events) {
        return std::to_string(tests.events) + " of " + std::to_string(row.ours.n) + " runs against " +
               std::to_string(tests.baseline_events) + " of " + std::to_string(row.baseline.n);
    }
    return signed_percent(row.difference_percent) + " % against the baseline";
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
    const std::string seen = seen_words(row, tests);
    if (!claim || !refutation) {
        row.verdict = SheetVerdict::undecided;
        row.words = row.ours.n < 2 || row.baseline.n < 2
                        ? "A test needs two finite values or more in the group and in the baseline."
                        : "No test: the seeds do not differ at all, so that they are copies rather than measurements.";
        return;
    }
    if (rule.kind == Kind::events && rule.direction < 0 && tests.baseline_events == 0) {
        row.verdict = SheetVerdict::not_testable;
        row.words =
            "No run of the baseline had the event, so that there is nothing to remove: it takes models, learning "
            "rates or a training length at which it does.";
        return;
    }
    if (row.plan.control && !control_differs(row)) {
        row.verdict = SheetVerdict::not_testable;
        row.words = "The control differs from the baseline by " + signed_percent(row.control_percent) +
                    " % (p = " + p_text(row.control_p) +
                    "), not by more than the margin: here likeness would show nothing. It takes " +
                    "longer training or larger models.";
        return;
    }
    const bool is_claimed = *claim < rule.alpha;
    const bool is_refuted = *refutation < rule.alpha;
    if (rule.kind == Kind::difference && is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.words =
            seen + ", " + p_words(*refutation) + " after Holm: equivalent within ±" + percent_text(rule.margin) + " %";
        row.words +=
            is_claimed ? "; a difference there is (" + p_words(*claim) + "), but one that counts as none." : ".";
    } else if (is_claimed) {
        const bool other_way = rule.kind == Kind::difference && row.difference.value_or(0) * rule.direction < 0;
        row.verdict = other_way ? SheetVerdict::not_reproduced : SheetVerdict::reproduced;
        row.words = seen + ", " + p_words(*claim) + " after Holm" + (other_way ? ": the other way round." : ".");
    } else if (is_refuted) {
        row.verdict = SheetVerdict::not_reproduced;
        row.words = seen + ", " + p_words(*refutation) + " after Holm" +
                    (rule.kind == Kind::equivalence ? ": beyond the margin." : ": the other way round.");
    } else {
        row.verdict = SheetVerdict::undecided;
        row.seeds_to_decide =
            rule.kind == Kind::events ? seeds_for_events(row, tests, comparisons) : seeds_for(row, tests, comparisons);
        row.words =
            seen + ", " + p_words(*claim) + " after Holm; " +
            (row.seeds_to_decide
                 ? "about " + std::to_string(*row.seeds_to_decide) + " seeds a group would decide, were that the truth."
                 : "no number of seeds up to " + std::to_string(most_seeds) + " would decide, were that the truth.");
    }
}

}  // namespace

void judge(std::span<SheetRow> rows) {
    std::map<std::string, std::vector<std::size_t>> families;
    std::map<std::size_t, Tests> tests;
    std::map<std::string, int> waiting;  // a correction over a part of a family would be another rule
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
            row.words = "Not judged before all runs of its family have ended and been measured.";
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
