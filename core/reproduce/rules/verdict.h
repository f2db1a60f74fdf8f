#pragma once

#include <optional>
#include <span>

#include "core/reproduce/rules/sheet_row.h"

namespace ropelab {

/// The rule's test is paired and does not count events, or the row has no rule.
bool is_paired(const PlannedRow& row);

struct MeanDifference {
    double value = 0;
    std::optional<double> low, high;  // nullopt if there is no standard error
    double reference = 0;             // mean of the baseline's values that enter `difference`
};
/// Mean of a[i] − b[i] over pairs of finite values, with its t interval (1 − alpha); nullopt without pairs.
std::optional<MeanDifference> paired_difference(std::span<const double> a, std::span<const double> b, double alpha);
/// mean(a) − mean(b) with Welch's interval of the confidence 1 − alpha; nullopt if a sample is empty.
std::optional<MeanDifference> group_difference(const Sample& a, const Sample& b, double alpha);

struct MoreThan {
    double percent = 0;  // difference in percent of the other group's mean
    double p = 1;        // one-sided p of the hypothesis that the difference is at most the margin
};
/// Tests if values exceed `others` of the same seeds by more than `margin` of their mean; nullopt without a test.
std::optional<MoreThan> p_of_more(std::span<const double> values, std::span<const double> others, double margin);
/// Independent samples (Welch's test).
std::optional<MoreThan> p_of_more(const Sample& sample, const Sample& other, double margin);

struct RowTests {
    std::optional<double> claim, refutation;  // p of the claim, and of the claim's refutation
    // The number of seeds is computed from these.
    double shift = 0;      // difference from the middle of the range, in the unit of the measure
    double margin = 0;     // half the width of the range
    double deviation = 0;  // standard deviation of the paired differences, or the pooled one of the groups
    std::int64_t events = 0, baseline_events = 0;
};
/// Sets the row's `p_equivalence` and `effect`.
RowTests test_row(SheetRow& row);

/// Per group, if the true effect were the observed one, at the first and strictest step of Holm's correction over
/// `comparisons` rows: α divided by their number. nullopt if no number up to max_seeds would.
std::optional<std::int64_t> seeds_to_decide(const SheetRow& row, const RowTests& tests, int comparisons);

/// The statements of a row's rule and of its refutation, over pairs of equal seeds, for a stopping rule. Means are
/// compared by paired t statistics, a margin or range by x − (1 ± margin)·y, and events by their difference within
/// pairs.
SequentialRow sequential_row(const VerdictRule& rule, std::span<const double> values, std::span<const double> baseline);

/// The p of the claim and the p of its refutation are each corrected by Holm over the rows of a family. If both are
/// significant (a significant difference within the margin), the claim is refuted. A row of losses, times or speeds
/// with failed runs in either group is undecided. Requires the rows' samples and comparisons. A family with a run that
/// has not ended or is not measured is left unfinished. With a stopping rule, the rows have their results
/// (`sequential`), whose p values are used, and a family is unfinished while a row of it is open.
void decide(std::span<SheetRow> rows);

struct ClaimVerdict {
    std::string claim;  // id
    /// `not_reproduced`: one row is not, also after Bonferroni's correction over its families. `not_testable`: no row
    /// is testable. `undecided`: otherwise, and if the verdicts at several lengths of training differ. `unfinished`: a
    /// row has no verdict yet. `shown`: the claim has no row with a rule.
    SheetVerdict verdict = SheetVerdict::shown;
    int rows = 0;  // number of rows with a rule
    int reproduced = 0, not_reproduced = 0, undecided = 0, not_testable = 0, unfinished = 0;
    std::string words;  // "Reproduced: holds for all 6 rows."
};
/// In the plan's order. `rows` are the results of evaluate().
std::vector<ClaimVerdict> claim_verdicts(const SheetPlan& plan, std::span<const SheetRow> rows);

}  // namespace ropelab
