#include "core/reproduce/rules/comparison.h"

#include <algorithm>
#include <cmath>

#include "core/reproduce/rules/row_tests.h"

namespace ropelab {

namespace {

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

}  // namespace

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

void compare_with_control(SheetRow& row, std::span<const SheetRun> runs, const GroupValues& group,
                          const GroupValues& baseline) {
    const PlannedRow& plan = row.plan;
    const GroupValues control = values_of(runs, *plan.control, plan.measure);
    if (*plan.control != plan.group && *plan.control != *plan.baseline) row.waiting += control.open();
    if (plan.rule->version == 1) return compare_control_v1(row, control, baseline);
    if (plan.control_reference) {
        const GroupValues reference = values_of(runs, *plan.control_reference, plan.measure);
        row.waiting += reference.open();
        return compare_control(row, control, {&reference});
    }
    if (plan.group == *plan.control) return compare_control(row, control, {&baseline});
    compare_control(row, control, {&baseline, &group});
}

void recompute_paper(SheetRow& row) {
    const auto& paper = row.plan.paper;
    const auto& baseline = row.plan.paper_baseline;
    if (!paper || !baseline || baseline->mean == 0) return;
    row.paper_difference_percent = 100 * (paper->mean - baseline->mean) / std::abs(baseline->mean);
    row.paper_p_student = p_of(student_t_test(*paper, *baseline));
    row.paper_p_welch = p_of(welch_t_test(*paper, *baseline));
}

}  // namespace ropelab
