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
    /// Probability of being right by chance under the null model, for the groups that were scored.
    double chance = 1;
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
/// counts as measured), if a group of an order has no finite value, if no group has learned retrieval, if the intervals
/// of a retrieval rule do not decide, or if its chance under the null model is 1. Retrieval rules of earlier versions,
/// which a lab stored, are applied as they were.
std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs);

}  // namespace ropelab
