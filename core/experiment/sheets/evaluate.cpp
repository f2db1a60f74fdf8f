#include "core/experiment/sheets/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/experiment/sheets/judge.h"
#include "core/experiment/sheets/measuring.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

bool ended(RunState state) {
    return state == RunState::finished || state == RunState::failed;
}

// A stored NaN counts: it says that there is no number to be had.
bool is_measured(const SheetRun& run, const std::string& measure) {
    const bool of_summary =
        std::any_of(measures().begin(), measures().end(), [&](const Measure& known) { return known.name == measure; });
    return of_summary ? run.summary.has_value() : run.measurements.contains(measure);
}

// Whether a run has ended without what will be measured of it. Of one that failed nothing is but whether it spiked.
bool is_to_measure(const SheetRun& run, const std::string& measure) {
    const bool is_measured_then = run.state == RunState::finished || measure == spiked || measure == spiked_early;
    return is_measured_then && !is_measured(run, measure);
}

// Seed → value of the group's runs that have ended.
struct GroupValues {
    std::map<std::int64_t, double> by_seed;
    int failed = 0;
    int waiting = 0;                    // runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds whose run has ended, but that the measure was not taken of yet

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
        if (run.state == RunState::failed) ++result.failed;
        result.unmeasured.erase(run.spec.seed);
        if (is_to_measure(run, measure)) result.unmeasured.insert(run.spec.seed);
        // What a diverged run left is no loss of a trained model; an event it is.
        const bool counts = run.state == RunState::finished || run.measurements.contains(measure);
        result.by_seed[run.spec.seed] =
            counts ? measured_value(run, measure) : std::numeric_limits<double>::quiet_NaN();
    }
    return result;
}

// The baseline's values in the order of the group's seeds; NaN where the baseline has none.
std::vector<double> mates(const GroupValues& group, const GroupValues& baseline) {
    std::vector<double> result;
    for (const auto& [seed, value] : group.by_seed) {
        const auto mate = baseline.by_seed.find(seed);
        result.push_back(mate == baseline.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : mate->second);
    }
    return result;
}

std::optional<double> p_of(const std::optional<TTest>& test) {
    return test ? std::optional(test->p) : std::nullopt;
}

void compare(SheetRow& row, const GroupValues& group, const GroupValues& baseline) {
    row.baseline_values = baseline.values();
    row.baseline = sample_of(row.baseline_values);
    row.waiting += baseline.open();
    if (row.ours.n > 0 && row.baseline.n > 0) {
        row.difference = row.ours.mean - row.baseline.mean;
        if (row.baseline.mean != 0) row.difference_percent = 100 * *row.difference / std::abs(row.baseline.mean);
    }
    row.p_student = p_of(student_t_test(row.ours, row.baseline));
    row.p_welch = p_of(welch_t_test(row.ours, row.baseline));
    row.mates = mates(group, baseline);
    row.p_paired = p_of(paired_t_test(row.values, row.mates));
}

void compare_control(SheetRow& row, const GroupValues& control, const GroupValues& baseline) {
    row.waiting += control.open();
    const std::vector<double> values = control.values();
    const Sample sample = sample_of(values);
    if (sample.n == 0 || row.baseline.n == 0 || row.baseline.mean == 0) return;
    row.control_percent = 100 * (sample.mean - row.baseline.mean) / std::abs(row.baseline.mean);
    row.control_p = row.plan.rule->test == TestKind::paired ? p_of(paired_t_test(values, mates(control, baseline)))
                                                            : p_of(welch_t_test(sample, row.baseline));
}

// Eight steps teach a model nothing, so that its losses agree whatever is claimed.
void withhold(SheetRow& row) {
    const bool judged = row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
                        row.verdict == SheetVerdict::undecided;
    if (!judged) return;
    row.words = "Smoke runs learn nothing: it takes --scale laptop or paper. The rule alone would say: " +
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

// The finite mean of each group; empty where one has none, or not all of its runs have ended and been measured.
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

// The keys by which a group differs from the others: "theta = 500".
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

// Why there is no score, and what is left to do for one.
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
    if (waiting > 0) left += std::to_string(waiting) + " to be trained";
    if (unmeasured > 0) left += (left.empty() ? "" : ", ") + std::to_string(unmeasured) + " to be measured";
    return "The runs that decide it have not all given a number" + (left.empty() ? "." : ": " + left + ".");
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
    scored.words = "The highest mean of those said to be low is " + fixed_text(below, 4) +
                   ", the lowest of the others " + fixed_text(above, 4) + ".";
}

// By the prediction's retrieval rule.
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
                       ", so that nothing could fail.";
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
    scored.words = "The highest gain at lag " + lag + " is " + fixed_text(highest, 3) + ", so that those below " +
                   fixed_text(limit, 3) + " at lag " + std::to_string(rule.longest_lag) + " fail: " + gains + ".";
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
            return "not testable at this scale";
    }
    return {};
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
        if (planned.group.empty()) continue;  // nothing of it is trained
        const auto first = std::find_if(runs.begin(), runs.end(),
                                        [&](const SheetRun& run) { return belongs(run.spec, planned.group); });
        if (first != runs.end()) row.spec = first->spec;
        const GroupValues group = values_of(runs, planned.group, planned.measure);
        for (const auto& [seed, value] : group.by_seed) {
            row.seeds.push_back(seed);
            row.values.push_back(value);
        }
        row.ours = sample_of(row.values);
        row.failed = group.failed;
        row.waiting = group.open();
        if (!planned.baseline) continue;
        const GroupValues baseline = values_of(runs, *planned.baseline, planned.measure);
        compare(row, group, baseline);
        if (planned.control && planned.rule) {
            compare_control(row, values_of(runs, *planned.control, planned.measure), baseline);
        }
    }
    judge(rows);
    if (plan.scale == SheetScale::smoke) std::for_each(rows.begin(), rows.end(), withhold);
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
            scored.words = "Smoke runs learn nothing that a theory speaks of.";
            continue;
        }
        prediction.retrieval ? score_retrieval(scored, runs) : score_order(scored, runs);
    }
    return result;
}

}  // namespace ropelab
