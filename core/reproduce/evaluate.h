#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/sheet.h"

namespace ropelab {

/// Run of a sheet's experiment with its results.
struct SheetRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<RunSummary> summary;
    std::map<std::string, double> measurements;  // measured values by measure name
};

/// Verdict on a row; `shown` is a row without a rule.
enum class SheetVerdict { shown, unfinished, reproduced, not_reproduced, undecided, not_testable };
/// Returns "shown", "unfinished", "reproduced", "not reproduced", "undecided" or "not testable at this scale".
std::string to_string(SheetVerdict verdict);

/// Effect that a row's rule tests, in the unit in which a figure compares rows.
struct RowEffect {
    /// `percent`: difference of group and baseline in percent of the baseline's mean. `ratio`: group's mean divided by
    /// the baseline's. `proportion`: proportion of the group's runs with the event.
    enum class Scale { percent, ratio, proportion } scale = Scale::percent;
    double value = 0;
    /// Interval with the confidence 1 − alpha, without Holm's correction: of the mean difference of the pairs (or
    /// Welch's), Fieller's of a ratio, or Clopper and Pearson's of a proportion; nullopt if there is none.
    std::optional<double> low, high;
    /// Range of the rule: from −margin to +margin, the range of the ratio, or from the bound to 1 (or 0 to the bound);
    /// nullopt for a rule without a range.
    std::optional<double> range_low, range_high;
    std::optional<double> paper;  // the paper's value on the same scale; nullopt if it prints none
};

/// Planned row with the results of its runs.
struct SheetRow {
    PlannedRow plan;
    std::optional<RunSpec> spec;  // of the group's first run; nullopt if the sheet trains no such run
    // Seed and value of each ended run of the group; NaN for a run that failed without a value.
    std::vector<std::int64_t> seeds;
    std::vector<double> values;
    Sample ours;
    int failed = 0;   // number of failed runs of the group, diverged runs among them
    int waiting = 0;  // number of runs of group, baseline and control that have not ended or are not measured
    std::vector<double> baseline_values;  // values of the baseline's runs
    std::vector<double>
        paired_baseline_values;  // baseline value with the same seed as each of `values`; NaN if there is none
    Sample baseline;

    // Comparison of the group with the baseline; nullopt if there is no baseline or the test has no result.
    std::optional<double> difference;  // difference of the means
    std::optional<double> difference_percent;
    std::optional<double> p_student, p_welch, p_paired;  // two-tailed tests of equal means
    std::optional<double> p_equivalence;                 // equivalence within the rule's margin, by the rule's test
    std::optional<double> p_rule, p_holm;                // p of the rule's test, raw and corrected
    std::optional<RowEffect> effect;                     // nullopt for a row without a rule or a test
    SheetVerdict verdict = SheetVerdict::shown;
    std::string words;  // reason for the verdict
    /// Difference between control and baseline in percent, and its p; nullopt for a row without a control.
    std::optional<double> control_percent, control_p;
    /// Number of seeds per group that would decide, for the observed difference and standard deviation; only if
    /// undecided.
    std::optional<std::int64_t> seeds_to_decide;

    // The paper's comparison, recomputed from its published means and standard deviations.
    std::optional<double> paper_difference_percent;
    std::optional<double> paper_p_student, paper_p_welch;
};

/// Prediction with its score.
struct ScoredPrediction {
    /// Score of the prediction.
    enum class Outcome { right, wrong, unmeasured } outcome = Outcome::unmeasured;
    Prediction prediction;
    std::string words;  // measured values, or the reason why there is no score
};
/// Returns "right", "wrong" or "not scored" (not measured, or not decidable by the prediction's rule).
std::string to_string(ScoredPrediction::Outcome outcome);

/// Returns whether a run has all values of a group. Throws BadInput for an unknown key.
bool belongs(const RunSpec& spec, const GroupKeys& group);

/// Returns a run's value of a measure, from its summary (measures()) or its measurements; NaN if there is none.
double measured_value(const SheetRun& run, const std::string& measure);

/// Returns the plan's rows with results and verdicts. If several runs share a seed, the last one counts. At `smoke`
/// scale, where models learn nothing, no claim is testable; `words` states the verdict that the rule would give.
std::vector<SheetRow> evaluate(const SheetPlan& plan, std::span<const SheetRun> runs);

/// Returns the plan's predictions with their scores. Groups are compared by their means, or by the retrieval rule. A
/// prediction is not scored at `smoke` scale, while a run of its groups has not ended or is not measured (a stored NaN
/// counts as measured), if a group has no finite value, or if no group has learned retrieval.
std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs);

}  // namespace ropelab
