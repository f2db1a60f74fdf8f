#include "core/reproduce/rules/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/verdict.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

bool ended(RunState state) {
    return state == RunState::finished || state == RunState::failed;
}

// A stored NaN counts: the measurement took place and gave no number.
bool is_measured(const SheetRun& run, const std::string& measure) {
    if (run.measurements.contains(measure)) return true;
    // The generation speed is one of measures(), but it is measured after training.
    const auto ends_with_training = [&](const Measure& known) {
        return known.name == measure && measure != generated_per_second;
    };
    return run.summary && std::any_of(measures().begin(), measures().end(), ends_with_training);
}

// Failed runs are only measured for spikes.
bool is_to_measure(const SheetRun& run, const std::string& measure) {
    const bool is_measurable = run.state == RunState::finished || measure == spiked || measure == spiked_early;
    return is_measurable && !is_measured(run, measure);
}

std::optional<double> p_of(const std::optional<TTest>& test) {
    return test ? std::optional(test->p) : std::nullopt;
}

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

// As version 1 of the rules: they must differ.
void compare_control_v1(SheetRow& row, const GroupValues& control, const GroupValues& baseline) {
    const std::vector<double> values = control.values();
    const Sample sample = sample_of(values);
    if (sample.n == 0 || row.baseline.n == 0 || row.baseline.mean == 0) return;
    row.control_percent = 100 * (sample.mean - row.baseline.mean) / std::abs(row.baseline.mean);
    row.control_p = row.plan.rule->test == TestKind::paired
                        ? p_of(paired_t_test(values, values_with_same_seeds(control, baseline)))
                        : p_of(welch_t_test(sample, row.baseline));
}

// Of more than the margin, at all looks together; 1 if a run of a pair failed.
double control_p(const SequentialDesign& stopping, const std::vector<double>& control,
                 const std::vector<double>& others, double margin) {
    const auto is_missing = [](double value) { return !std::isfinite(value); };
    if (std::ranges::any_of(control, is_missing) || std::ranges::any_of(others, is_missing)) return 1;
    Statement more = statement_ratio_outside(control, others, 0, 1 + margin);
    more.sides.erase(more.sides.begin());
    return sequential_p(stopping, more, std::ssize(control));
}

// One group must have a mean lower than the control by more than the margin (p with Bonferroni's correction).
void compare_control(SheetRow& row, const GroupValues& control, const std::vector<const GroupValues*>& with_positions,
                     const std::optional<SequentialDesign>& stopping) {
    const VerdictRule& rule = *row.plan.rule;
    const std::vector<double> values = control.values();
    for (const GroupValues* reference : with_positions) {
        const std::vector<double> others = values_with_same_seeds(control, *reference);
        auto gain = rule.test == TestKind::paired
                        ? p_of_more(values, others, rule.margin)
                        : p_of_more(sample_of(values), sample_of(reference->values()), rule.margin);
        if (!gain) continue;
        if (stopping) gain->p = control_p(*stopping, values, others, rule.margin);
        const double p = std::min(1.0, gain->p * static_cast<double>(with_positions.size()));
        if (row.control_p && *row.control_p <= p) continue;
        row.control_p = p;
        row.control_percent = gain->percent;
    }
}

void compare_with_baseline(SheetRow& row, const GroupValues& group, const GroupValues& baseline) {
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

// The seeds that a row with a stopping rule used; all of them otherwise. A diverged run that ended the row counts too.
GroupValues used(GroupValues values, const SheetRow& row, const SheetPlan& sheet) {
    if (!row.sequential) return values;
    const bool is_blocked = row.sequential->end == SequentialResult::End::blocked;
    const auto count = static_cast<std::size_t>(row.sequential->pairs + (is_blocked ? 1 : 0));
    const std::vector<std::int64_t> seeds = seeds_of(sheet);
    const std::set<std::int64_t> kept(seeds.begin(),
                                      seeds.begin() + static_cast<std::ptrdiff_t>(std::min(count, seeds.size())));
    const auto is_left_out = [&](std::int64_t seed) { return !kept.contains(seed); };
    std::erase_if(values.by_seed, [&](const auto& value) { return is_left_out(value.first); });
    std::erase_if(values.failed, is_left_out);
    std::erase_if(values.unmeasured, is_left_out);
    values.waiting = 0;
    return values;
}

// Compares the control with the groups that use positions. Requires a rule and a control.
void compare_with_control(SheetRow& row, std::span<const SheetRun> runs, const GroupValues& group,
                          const GroupValues& baseline, const SheetPlan& sheet) {
    const PlannedRow& plan = row.plan;
    const GroupValues control = used(values_of(runs, *plan.control, plan.measure), row, sheet);
    if (*plan.control != plan.group && *plan.control != *plan.baseline) row.waiting += control.open();
    if (plan.rule->version == 1) return compare_control_v1(row, control, baseline);
    if (plan.control_reference) {
        const GroupValues reference = used(values_of(runs, *plan.control_reference, plan.measure), row, sheet);
        row.waiting += reference.open();
        return compare_control(row, control, {&reference}, sheet.stopping);
    }
    if (plan.group == *plan.control) return compare_control(row, control, {&baseline}, sheet.stopping);
    compare_control(row, control, {&baseline, &group}, sheet.stopping);
}

void recompute_paper(SheetRow& row) {
    const auto& paper = row.plan.paper;
    const auto& baseline = row.plan.paper_baseline;
    if (!paper || !baseline || baseline->mean == 0) return;
    row.paper_difference_percent = 100 * (paper->mean - baseline->mean) / std::abs(baseline->mean);
    row.paper_p_student = p_of(student_t_test(*paper, *baseline));
    row.paper_p_welch = p_of(welch_t_test(*paper, *baseline));
}

// After eight steps all models have about the same loss, so that no claim is testable.
void withhold_verdict(SheetRow& row) {
    const bool has_verdict = row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
                             row.verdict == SheetVerdict::undecided;
    if (!has_verdict) return;
    row.by_rule = row.verdict;
    row.verdict = SheetVerdict::not_testable;
    row.seeds_to_decide.reset();
}

// Rows without a rule that other rows are compared with.
void mark_baselines(std::vector<SheetRow>& rows) {
    for (SheetRow& row : rows) {
        if (row.verdict != SheetVerdict::shown) continue;
        const bool is_baseline = std::any_of(rows.begin(), rows.end(), [&](const SheetRow& other) {
            return other.plan.measure == row.plan.measure && other.plan.baseline == row.plan.group;
        });
        if (is_baseline) row.verdict = SheetVerdict::baseline;
    }
}

GroupValues baseline_of(const PlannedRow& row, std::span<const SheetRun> runs) {
    std::vector<GroupValues> groups = {values_of(runs, *row.baseline, row.measure)};
    for (const GroupKeys& other : row.baseline_others) groups.push_back(values_of(runs, other, row.measure));
    return groups.size() == 1 ? groups.front() : mean_by_seed(groups);
}

// Of the rows with a rule, each family in step.
void stop_when_settled(const SheetPlan& plan, std::span<const SheetRun> runs, std::vector<SheetRow>& rows) {
    std::map<std::string, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlannedRow& row = rows[i].plan;
        if (row.rule && row.baseline && row.out_of_reach.empty() && !row.group.empty())
            families[row.rule->family].push_back(i);
    }
    const std::vector<std::int64_t> seeds = seeds_of(plan);
    for (const auto& [family, members] : families) {
        std::vector<SequentialRow> states;
        for (const std::size_t i : members) {
            const PlannedRow& row = rows[i].plan;
            const GroupValues group = values_of(runs, row.group, row.measure), baseline = baseline_of(row, runs);
            std::vector<double> ours, theirs;
            bool is_blocked = false;
            for (const std::int64_t seed : seeds) {
                const auto is_ready = [&](const GroupValues& values) {
                    return values.by_seed.contains(seed) && !values.unmeasured.contains(seed);
                };
                if (!is_ready(group) || !is_ready(baseline)) break;
                const double a = group.by_seed.at(seed), b = baseline.by_seed.at(seed);
                is_blocked = !(std::isfinite(a) && std::isfinite(b));
                if (is_blocked) break;
                ours.push_back(a);
                theirs.push_back(b);
            }
            states.push_back(sequential_row(*row.rule, ours, theirs));
            states.back().blocked = is_blocked;
        }
        const auto results = replay(*plan.stopping, states);
        for (std::size_t j = 0; j < members.size(); ++j) rows[members[j]].sequential = results[j];
    }
}

}  // namespace

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

GroupValues mean_by_seed(std::span<const GroupValues> groups) {
    GroupValues result;
    for (const GroupValues& group : groups) {
        for (const auto& [seed, value] : group.by_seed) result.by_seed[seed] = 0;
        result.failed.insert(group.failed.begin(), group.failed.end());
        result.unmeasured.insert(group.unmeasured.begin(), group.unmeasured.end());
        result.waiting += group.waiting;
    }
    for (auto& [seed, mean] : result.by_seed) {
        for (const GroupValues& group : groups) {
            const auto found = group.by_seed.find(seed);
            mean += found == group.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
        }
        mean /= static_cast<double>(groups.size());
    }
    return result;
}

std::vector<double> values_with_same_seeds(const GroupValues& group, const GroupValues& baseline) {
    std::vector<double> result;
    for (const auto& [seed, value] : group.by_seed) {
        const auto match = baseline.by_seed.find(seed);
        result.push_back(match == baseline.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : match->second);
    }
    return result;
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

std::string budget_words(const SheetRow& row) {
    if (!row.spec || !row.plan.baseline || row.waiting > 0) return {};
    constexpr std::array tuned = {"learning_rate", "final_learning_rate", "warmup",
                                  "weight_decay",  "optimizer",           "batch"};
    const auto value = [](const GroupKeys& keys, const char* key) {
        const auto found = keys.find(key);
        return found == keys.end() ? std::string() : found->second;
    };
    const bool alike = std::ranges::all_of(
        tuned, [&](const char* key) { return value(row.plan.group, key) == value(*row.plan.baseline, key); });
    const std::int64_t tokens = row.spec->iterations * row.spec->batch * row.spec->context;
    return "Budget: " + counted(row.spec->iterations, "step") + ", " + short_number(static_cast<double>(tokens)) +
           " tokens per run; " +
           (row.plan.tuned ? "the same search tuned the learning rates of the two groups, which else have "
                           : "no search tuned the two groups, which have ") +
           (alike ? "equal optimizer settings." : "the different optimizer settings that their names say.");
}

std::vector<SheetRow> evaluate(const SheetPlan& plan, std::span<const SheetRun> runs) {
    std::vector<SheetRow> rows;
    for (const PlannedRow& planned : plan.rows) rows.emplace_back().plan = planned;
    if (plan.stopping) stop_when_settled(plan, runs, rows);
    for (SheetRow& row : rows) {
        const PlannedRow& planned = row.plan;
        recompute_paper(row);
        if (planned.group.empty()) continue;  // the sheet trains no such run
        const auto first = std::find_if(runs.begin(), runs.end(),
                                        [&](const SheetRun& run) { return belongs(run.spec, planned.group); });
        if (first != runs.end()) row.spec = first->spec;
        const GroupValues group = used(values_of(runs, planned.group, planned.measure), row, plan);
        for (const auto& [seed, value] : group.by_seed) {
            row.seeds.push_back(seed);
            row.values.push_back(value);
        }
        row.ours = sample_of(row.values);
        row.failed = static_cast<int>(group.failed.size());
        row.waiting = group.open();
        if (!planned.baseline) continue;
        const GroupValues baseline = used(baseline_of(planned, runs), row, plan);
        compare_with_baseline(row, group, baseline);
        if (planned.control && planned.rule) compare_with_control(row, runs, group, baseline, plan);
    }
    decide(rows);
    if (plan.scale == SheetScale::smoke) std::for_each(rows.begin(), rows.end(), withhold_verdict);
    mark_baselines(rows);
    return rows;
}

}  // namespace ropelab
