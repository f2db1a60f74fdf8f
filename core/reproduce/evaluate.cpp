#include "core/reproduce/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/reproduce/measuring.h"
#include "core/reproduce/row_tests.h"
#include "core/reproduce/verdict.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

bool ended(RunState state) {
    return state == RunState::finished || state == RunState::failed;
}

// Returns whether a run has a value of the measure. A stored NaN counts: the measurement took place and gave no number.
bool is_measured(const SheetRun& run, const std::string& measure) {
    const bool is_in_summary =
        std::any_of(measures().begin(), measures().end(), [&](const Measure& known) { return known.name == measure; });
    return is_in_summary ? run.summary.has_value() : run.measurements.contains(measure);
}

// Returns whether a run has ended and still lacks a measurement. Failed runs are only measured for spikes.
bool is_to_measure(const SheetRun& run, const std::string& measure) {
    const bool is_measurable = run.state == RunState::finished || measure == spiked || measure == spiked_early;
    return is_measurable && !is_measured(run, measure);
}

// Values of a group's ended runs by seed.
struct GroupValues {
    std::map<std::int64_t, double> by_seed;
    std::set<std::int64_t> failed;      // seeds whose last run failed
    int waiting = 0;                    // number of runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds of ended runs that are not measured yet

    int open() const { return waiting + static_cast<int>(unmeasured.size()); }

    std::vector<double> values() const {
        std::vector<double> result;
        for (const auto& [seed, value] : by_seed) result.push_back(value);
        return result;
    }
};

GroupValues values_of(std::span<const SheetRun> runs, const GroupKeys& group, const std::string& measure) {
    GroupValues result;
    for (const SheetRun& run : runs) {
        if (!belongs(run.spec, group)) continue;
        if (!ended(run.state)) {
            ++result.waiting;
            continue;
        }
        result.failed.erase(run.spec.seed);
        if (run.state == RunState::failed) result.failed.insert(run.spec.seed);
        result.unmeasured.erase(run.spec.seed);
        if (is_to_measure(run, measure)) result.unmeasured.insert(run.spec.seed);
        // The losses of a diverged run are not those of a trained model, but its events count.
        const bool counts = run.state == RunState::finished || run.measurements.contains(measure);
        result.by_seed[run.spec.seed] =
            counts ? measured_value(run, measure) : std::numeric_limits<double>::quiet_NaN();
    }
    return result;
}

// Returns the baseline's values in the order of the group's seeds; NaN if the baseline lacks the seed.
std::vector<double> values_with_same_seeds(const GroupValues& group, const GroupValues& baseline) {
    std::vector<double> result;
    for (const auto& [seed, value] : group.by_seed) {
        const auto match = baseline.by_seed.find(seed);
        result.push_back(match == baseline.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : match->second);
    }
    return result;
}

std::optional<double> p_of(const std::optional<TTest>& test) {
    return test ? std::optional(test->p) : std::nullopt;
}

// Sets the difference of group and baseline with its interval.
void set_difference(SheetRow& row) {
    const double alpha = row.plan.rule ? row.plan.rule->alpha : VerdictRule{}.alpha;
    const auto found = is_paired(row.plan) ? paired_difference(row.values, row.paired_baseline_values, alpha)
                                           : group_difference(row.ours, row.baseline, alpha);
    if (!found) return;
    row.difference = found->value;
    row.difference_low = found->low;
    row.difference_high = found->high;
    row.reference = found->reference;
    if (row.reference != 0) row.difference_percent = 100 * *row.difference / std::abs(row.reference);
}

void compare(SheetRow& row, const GroupValues& group, const GroupValues& baseline) {
    row.baseline_values = baseline.values();
    row.baseline = sample_of(row.baseline_values);
    row.baseline_failed = static_cast<int>(baseline.failed.size());
    row.waiting += baseline.open();
    row.p_student = p_of(student_t_test(row.ours, row.baseline));
    row.p_welch = p_of(welch_t_test(row.ours, row.baseline));
    row.paired_baseline_values = values_with_same_seeds(group, baseline);
    row.p_paired = p_of(paired_t_test(row.values, row.paired_baseline_values));
    set_difference(row);
}

// Compares the control with the baseline as version 1 of the rules does: they must differ.
void compare_control_v1(SheetRow& row, const GroupValues& control, const GroupValues& baseline) {
    const std::vector<double> values = control.values();
    const Sample sample = sample_of(values);
    if (sample.n == 0 || row.baseline.n == 0 || row.baseline.mean == 0) return;
    row.control_percent = 100 * (sample.mean - row.baseline.mean) / std::abs(row.baseline.mean);
    row.control_p = row.plan.rule->test == TestKind::paired
                        ? p_of(paired_t_test(values, values_with_same_seeds(control, baseline)))
                        : p_of(welch_t_test(sample, row.baseline));
}

// Tests whether one of the groups with positions has a lower mean than the control by more than the margin. The p
// values are corrected for the number of groups (Bonferroni).
void compare_control(SheetRow& row, const GroupValues& control, const std::vector<const GroupValues*>& with_positions) {
    const VerdictRule& rule = *row.plan.rule;
    const std::vector<double> values = control.values();
    for (const GroupValues* reference : with_positions) {
        const std::vector<double> others = values_with_same_seeds(control, *reference);
        const auto gain = rule.test == TestKind::paired
                              ? p_of_more(values, others, rule.margin)
                              : p_of_more(sample_of(values), sample_of(reference->values()), rule.margin);
        if (!gain) continue;
        const double p = std::min(1.0, gain->p * static_cast<double>(with_positions.size()));
        if (row.control_p && *row.control_p <= p) continue;
        row.control_p = p;
        row.control_percent = gain->percent;
    }
}

// Compares the row's control with the groups that use positions.
void evaluate_control(SheetRow& row, std::span<const SheetRun> runs, const GroupValues& group,
                      const GroupValues& baseline) {
    const PlannedRow& plan = row.plan;
    const GroupValues control = values_of(runs, *plan.control, plan.measure);
    row.waiting += control.open();
    if (plan.rule->version == 1) return compare_control_v1(row, control, baseline);
    if (plan.control_reference) {
        const GroupValues reference = values_of(runs, *plan.control_reference, plan.measure);
        row.waiting += reference.open();
        return compare_control(row, control, {&reference});
    }
    if (plan.group == *plan.control) return compare_control(row, control, {&baseline});
    compare_control(row, control, {&baseline, &group});
}

// Replaces the verdict at smoke scale: after eight steps all models have about the same loss, so that no claim is
// testable.
void withhold_verdict(SheetRow& row) {
    const bool has_verdict = row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
                             row.verdict == SheetVerdict::undecided;
    if (!has_verdict) return;
    row.words =
        "Smoke runs learn nothing; a test requires the scale laptop or paper. By its rule alone the row would be " +
        to_string(row.verdict) + ". " + row.words;
    row.verdict = SheetVerdict::not_testable;
    row.seeds_to_decide.reset();
}

void recompute_paper(SheetRow& row) {
    const auto& paper = row.plan.paper;
    const auto& baseline = row.plan.paper_baseline;
    if (!paper || !baseline || baseline->mean == 0) return;
    row.paper_difference_percent = 100 * (paper->mean - baseline->mean) / std::abs(baseline->mean);
    row.paper_p_student = p_of(student_t_test(*paper, *baseline));
    row.paper_p_welch = p_of(welch_t_test(*paper, *baseline));
}

// Returns the finite mean of each group; an empty list if a group has no finite value or a run that has not ended or is
// not measured.
std::vector<double> means_of(std::span<const SheetRun> runs, const std::vector<GroupKeys>& groups,
                             const std::string& measure) {
    std::vector<double> result;
    for (const GroupKeys& group : groups) {
        const GroupValues found = values_of(runs, group, measure);
        const Sample sample = sample_of(found.values());
        if (sample.n == 0 || found.open() > 0) return {};
        result.push_back(sample.mean);
    }
    return result;
}

// Returns the keys by which a group differs from the others, as text: "theta = 500".
std::string differing_text(const std::vector<GroupKeys>& groups, std::size_t group) {
    std::map<std::string, std::string> own;
    for (const auto& [key, value] : groups[group]) {
        const bool is_shared = std::all_of(groups.begin(), groups.end(), [&, k = &key, v = &value](const auto& other) {
            const auto found = other.find(*k);
            return found != other.end() && found->second == *v;
        });
        if (!is_shared) own[key] = value;
    }
    return assignments_text(own);
}

// Returns the reason why a prediction has no score yet, with the number of missing runs and measurements.
std::string not_all_words(const Prediction& prediction, std::span<const SheetRun> runs) {
    int waiting = 0;
    std::size_t unmeasured = 0;
    for (const auto& groups : {prediction.low, prediction.high}) {
        for (const GroupKeys& group : groups) {
            const GroupValues values = values_of(runs, group, prediction.measure);
            waiting += values.waiting;
            unmeasured += values.unmeasured.size();
        }
    }
    std::string left;
    if (waiting > 0) left += runs_text(waiting) + " to train";
    if (unmeasured > 0)
        left += (left.empty() ? "" : ", ") + runs_text(static_cast<std::int64_t>(unmeasured)) + " to measure";
    return "Not all runs that the prediction concerns have a value" + (left.empty() ? "." : ": " + left + ".");
}

void score_order(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const Prediction& prediction = scored.prediction;
    const std::vector<double> low = means_of(runs, prediction.low, prediction.measure);
    const std::vector<double> high = means_of(runs, prediction.high, prediction.measure);
    if (low.empty() || high.empty()) {
        scored.words = not_all_words(scored.prediction, runs);
        return;
    }
    const double below = *std::max_element(low.begin(), low.end());
    const double above = *std::min_element(high.begin(), high.end());
    scored.outcome = below < above ? ScoredPrediction::Outcome::right : ScoredPrediction::Outcome::wrong;
    scored.words = "The highest mean of the groups that are predicted to be low is " + fixed_text(below, 4) +
                   ", and the lowest mean of the others is " + fixed_text(above, 4) + ".";
}

// Scores a prediction by its retrieval rule.
void score_retrieval(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const RetrievalRule& rule = *scored.prediction.retrieval;
    std::vector<GroupKeys> groups = scored.prediction.low;
    groups.insert(groups.end(), scored.prediction.high.begin(), scored.prediction.high.end());
    const std::vector<double> near = means_of(runs, groups, retrieval_gain(rule.shortest_lag));
    const std::vector<double> far = means_of(runs, groups, retrieval_gain(rule.longest_lag));
    if (near.empty() || far.empty()) {
        scored.words = not_all_words(scored.prediction, runs);
        return;
    }
    const double highest = *std::max_element(near.begin(), near.end());
    const std::string lag = std::to_string(rule.shortest_lag);
    if (highest < rule.least_gain) {
        scored.words = "No group retrieves even at lag " + lag + ": the highest gain is " + fixed_text(highest, 3) +
                       ", so that no group can fail.";
        return;
    }
    const double limit = rule.kept * highest;
    bool is_right = true;
    std::string gains;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        is_right = is_right && (far[i] < limit) == (i >= scored.prediction.low.size());
        gains += (i == 0 ? "" : ", ") + fixed_text(far[i], 3) + " (" + differing_text(groups, i) + ")";
    }
    scored.outcome = is_right ? ScoredPrediction::Outcome::right : ScoredPrediction::Outcome::wrong;
    scored.words = "The highest gain at lag " + lag + " is " + fixed_text(highest, 3) + ". Groups with a gain below " +
                   fixed_text(limit, 3) + " at lag " + std::to_string(rule.longest_lag) +
                   " fail; the gains there are " + gains + ".";
}

}  // namespace

std::string to_string(SheetVerdict verdict) {
    switch (verdict) {
        case SheetVerdict::shown:
            return "shown";
        case SheetVerdict::unfinished:
            return "unfinished";
        case SheetVerdict::reproduced:
            return "reproduced";
        case SheetVerdict::not_reproduced:
            return "not reproduced";
        case SheetVerdict::undecided:
            return "undecided";
        case SheetVerdict::not_testable:
            return "not testable";
    }
    return {};
}

std::string to_string(RowEffect::Scale scale) {
    if (scale == RowEffect::Scale::percent) return "percent";
    return scale == RowEffect::Scale::ratio ? "ratio" : "proportion";
}

std::string to_string(ScoredPrediction::Outcome outcome) {
    if (outcome == ScoredPrediction::Outcome::right) return "right";
    return outcome == ScoredPrediction::Outcome::wrong ? "wrong" : "not scored";
}

bool belongs(const RunSpec& spec, const GroupKeys& group) {
    return std::all_of(group.begin(), group.end(), [&](const auto& entry) {
        const Key& known = key(entry.first);
        RunSpec wanted = spec;
        known.set(wanted, parse_value(known, entry.second, spec));
        return known.get(wanted) == known.get(spec);
    });
}

double measured_value(const SheetRun& run, const std::string& measure) {
    for (const Measure& known : measures()) {
        if (known.name == measure) {
            return run.summary ? known.of(*run.summary) : std::numeric_limits<double>::quiet_NaN();
        }
    }
    const auto found = run.measurements.find(measure);
    return found == run.measurements.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<SheetRow> evaluate(const SheetPlan& plan, std::span<const SheetRun> runs) {
    std::vector<SheetRow> rows;
    for (const PlannedRow& planned : plan.rows) {
        SheetRow& row = rows.emplace_back();
        row.plan = planned;
        recompute_paper(row);
        if (planned.group.empty()) continue;  // the sheet trains no such run
        const auto first = std::find_if(runs.begin(), runs.end(),
                                        [&](const SheetRun& run) { return belongs(run.spec, planned.group); });
        if (first != runs.end()) row.spec = first->spec;
        const GroupValues group = values_of(runs, planned.group, planned.measure);
        for (const auto& [seed, value] : group.by_seed) {
            row.seeds.push_back(seed);
            row.values.push_back(value);
        }
        row.ours = sample_of(row.values);
        row.failed = static_cast<int>(group.failed.size());
        row.waiting = group.open();
        if (!planned.baseline) continue;
        const GroupValues baseline = values_of(runs, *planned.baseline, planned.measure);
        compare(row, group, baseline);
        if (planned.control && planned.rule) evaluate_control(row, runs, group, baseline);
    }
    decide(rows);
    if (plan.scale == SheetScale::smoke) std::for_each(rows.begin(), rows.end(), withhold_verdict);
    return rows;
}

std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs) {
    std::vector<ScoredPrediction> result;
    for (const Prediction& prediction : plan.predictions) {
        ScoredPrediction& scored = result.emplace_back();
        scored.prediction = prediction;
        if (prediction.measure.empty()) {
            scored.words = prediction.unmeasured;
            continue;
        }
        if (plan.scale == SheetScale::smoke) {
            scored.words = "Smoke runs learn nothing, so that the prediction cannot be tested.";
            continue;
        }
        prediction.retrieval ? score_retrieval(scored, runs) : score_order(scored, runs);
    }
    return result;
}

}  // namespace ropelab
