#include "core/reproduce/rules/evaluate.h"

#include <algorithm>
#include <limits>

#include "core/reproduce/rules/collapse.h"
#include "core/reproduce/rules/comparison.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/verdict.h"
#include "core/results/results_cells.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

// Replaces the verdict at smoke scale: after eight steps all models have about the same loss, so that no claim is
// testable.
void withhold_verdict(SheetRow& row) {
    const bool has_verdict = row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
                             row.verdict == SheetVerdict::undecided;
    if (!has_verdict) return;
    row.by_rule = row.verdict;
    row.verdict = SheetVerdict::not_testable;
    row.seeds_to_decide.reset();
}

// Marks the rows without a rule that other rows are compared with.
void mark_baselines(std::vector<SheetRow>& rows) {
    for (SheetRow& row : rows) {
        if (row.verdict != SheetVerdict::shown) continue;
        const bool is_baseline = std::any_of(rows.begin(), rows.end(), [&](const SheetRow& other) {
            return other.plan.measure == row.plan.measure && other.plan.baseline == row.plan.group;
        });
        if (is_baseline) row.verdict = SheetVerdict::baseline;
    }
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
    return missing_values_words(waiting, static_cast<std::int64_t>(unmeasured));
}

// Returns the number of seeds whose run of one of the prediction's groups failed.
std::size_t failed_runs(const Prediction& prediction, std::span<const SheetRun> runs) {
    std::size_t failed = 0;
    for (const auto& groups : {prediction.low, prediction.high}) {
        for (const GroupKeys& group : groups) failed += values_of(runs, group, prediction.measure).failed.size();
    }
    return failed;
}

constexpr double order_level = 0.05;

// Returns a group's mean, standard deviation and number of runs: "theta = 500: 0.0830 ± 0.0290 nats (n = 3)".
std::string group_words(const ScoredPrediction::Group& group, const std::string& unit) {
    std::string words = (group.label.empty() ? "all runs" : group.label) + ": " + fixed_text(group.sample.mean, 4);
    if (group.sample.n > 1) words += " ± " + fixed_text(group.sample.standard_deviation, 4);
    return words + (unit.empty() ? "" : " " + unit) + " (n = " + std::to_string(group.sample.n) + ")";
}

// Fills in the groups with their values.
void add_groups(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const Prediction& prediction = scored.prediction;
    std::vector<GroupKeys> groups = prediction.low;
    groups.insert(groups.end(), prediction.high.begin(), prediction.high.end());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const GroupValues values = values_of(runs, groups[i], prediction.measure);
        scored.groups.push_back({differing_text(groups, i), sample_of(values.values()), i < prediction.low.size()});
    }
    scored.unit = unit_of(prediction.measure);
}

// Returns the score by order_rule 2.
ScoredPrediction::Outcome tested_order(const std::vector<ScoredPrediction::Group>& groups) {
    double pairs = 0;
    bool all_lower = true;
    double least_reversed = 1;  // p of the clearest reversed pair
    for (const auto& low : groups) {
        for (const auto& high : groups) {
            if (!low.low || high.low) continue;
            ++pairs;
            const auto test = welch_t_test(low.sample, high.sample);
            const double p = test ? test->p : 1;
            all_lower = all_lower && low.sample.mean < high.sample.mean && p < order_level;
            if (low.sample.mean > high.sample.mean) least_reversed = std::min(least_reversed, p);
        }
    }
    if (all_lower) return ScoredPrediction::Outcome::right;
    return least_reversed * pairs < order_level ? ScoredPrediction::Outcome::wrong
                                                : ScoredPrediction::Outcome::undecided;
}

// Returns the values of all groups and the test of the closest ones in sentences. Sets that test.
std::string order_words(ScoredPrediction& scored) {
    const ScoredPrediction::Group* low = nullptr;
    const ScoredPrediction::Group* high = nullptr;
    std::string words = "Means ± standard deviations: ";
    for (const auto& group : scored.groups) {
        words += (&group == &scored.groups.front() ? "" : "; ") + group_words(group, scored.unit) +
                 (group.low ? ", predicted low" : "");
        if (group.low && (!low || group.sample.mean > low->sample.mean)) low = &group;
        if (!group.low && (!high || group.sample.mean < high->sample.mean)) high = &group;
    }
    scored.test = welch_t_test(low->sample, high->sample);
    if (!scored.test) {
        return words + ". The closest groups, " + low->label + " and " + high->label +
               ", cannot be tested: a test needs at least two seeds with different values in each group.";
    }
    return words + ". Welch's t test of the closest groups, " + low->label + " and " + high->label +
           ": t = " + fixed_text(scored.test->t, 2) + ", " + p_words(scored.test->p) + ".";
}

void score_order(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const Prediction& prediction = scored.prediction;
    const std::vector<double> low = means_of(runs, prediction.low, prediction.measure);
    const std::vector<double> high = means_of(runs, prediction.high, prediction.measure);
    if (low.empty() || high.empty()) {
        scored.words = not_all_words(scored.prediction, runs);
        return;
    }
    add_groups(scored, runs);
    const std::string words = order_words(scored);
    if (const std::size_t failed = failed_runs(prediction, runs); failed > 0) {
        scored.words = runs_text(static_cast<std::int64_t>(failed)) +
                       " of the groups failed or diverged, so that the means compare only the surviving runs. " + words;
        return;
    }
    if (prediction.order_rule >= 2) {
        scored.outcome = tested_order(scored.groups);
        scored.words = words;
        if (scored.outcome == ScoredPrediction::Outcome::undecided) {
            scored.words += " The differences may be due to chance, so that the prediction is neither right nor wrong.";
        }
        return;
    }
    const bool is_right = *std::max_element(low.begin(), low.end()) < *std::min_element(high.begin(), high.end());
    scored.outcome = is_right ? ScoredPrediction::Outcome::right : ScoredPrediction::Outcome::wrong;
    scored.words = words + " The rule stored with the lab compares the means without a test.";
    if (!scored.test || scored.test->p >= order_level) scored.words += " The difference may be due to chance.";
}

// Scores a prediction by a retrieval rule of version 1, which compares all groups at the longest lag.
void score_earlier_rule(ScoredPrediction& scored, std::span<const SheetRun> runs) {
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

// Returns the values of a row's baseline: of one group, or the mean of several.
GroupValues baseline_of(const PlannedRow& row, std::span<const SheetRun> runs) {
    std::vector<GroupValues> groups = {values_of(runs, *row.baseline, row.measure)};
    for (const GroupKeys& other : row.baseline_others) groups.push_back(values_of(runs, other, row.measure));
    return groups.size() == 1 ? groups.front() : mean_by_seed(groups);
}

}  // namespace

std::string to_string(SheetVerdict verdict) {
    switch (verdict) {
        case SheetVerdict::shown:
            return "shown";
        case SheetVerdict::baseline:
            return "baseline";
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
    if (scale == RowEffect::Scale::ratio) return "ratio";
    return scale == RowEffect::Scale::proportion ? "proportion" : "proportion difference";
}

std::string to_string(ScoredPrediction::Outcome outcome) {
    switch (outcome) {
        case ScoredPrediction::Outcome::right:
            return "right";
        case ScoredPrediction::Outcome::wrong:
            return "wrong";
        case ScoredPrediction::Outcome::undecided:
            return "undecided";
        case ScoredPrediction::Outcome::unmeasured:
            return "not scored";
    }
    return {};
}

bool belongs(const RunSpec& spec, const GroupKeys& group) {
    return std::all_of(group.begin(), group.end(), [&](const auto& entry) {
        const Key& known = key(entry.first);
        RunSpec wanted = spec;
        known.set(wanted, parse_value(known, entry.second, spec));
        return known.get(wanted) == known.get(spec);
    });
}

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

std::string unit_of(const std::string& measure) {
    if (measure == extension_rise) return "nats";
    for (const Measure& known : measures()) {
        if (known.name == measure) return std::string(known.unit);
    }
    return {};
}

double measured_value(const SheetRun& run, const std::string& measure) {
    const auto found = run.measurements.find(measure);
    if (found != run.measurements.end()) return found->second;
    for (const Measure& known : measures()) {
        if (known.name == measure) {
            return run.summary ? known.of(*run.summary) : std::numeric_limits<double>::quiet_NaN();
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
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
        const GroupValues baseline = baseline_of(planned, runs);
        compare_with_baseline(row, group, baseline);
        if (planned.control && planned.rule) compare_with_control(row, runs, group, baseline);
    }
    decide(rows);
    if (plan.scale == SheetScale::smoke) std::for_each(rows.begin(), rows.end(), withhold_verdict);
    mark_baselines(rows);
    return rows;
}

std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs) {
    std::vector<ScoredPrediction> result;
    for (const Prediction& prediction : plan.predictions) {
        ScoredPrediction& scored = result.emplace_back();
        scored.prediction = prediction;
        scored.chance = prediction.chance;
        if (prediction.measure.empty()) {
            scored.words = prediction.unmeasured;
            continue;
        }
        if (plan.scale == SheetScale::smoke) {
            scored.words = "Smoke runs learn nothing, so that the prediction cannot be tested.";
            continue;
        }
        if (compares_groups(prediction)) {
            score_earlier_rule(scored, runs);
            scored.words +=
                " The rule stored with the lab scores this prediction; it does not compare retrieval within each "
                "group.";
        } else {
            prediction.retrieval ? score_collapse(scored, runs) : score_order(scored, runs);
        }
        if (has_earlier_rule(prediction) && !compares_groups(prediction)) {
            scored.words +=
                " The rule stored with the lab scores this prediction; its intervals are not corrected over the "
                "groups, and a decline with distance alone counts as a collapse.";
        }
    }
    return result;
}

}  // namespace ropelab
