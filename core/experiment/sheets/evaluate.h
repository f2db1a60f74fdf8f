#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/experiment/sheets/sheet.h"

namespace ropelab {

/// One run as a sheet reads it.
struct SheetRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<RunSummary> summary;
    std::map<std::string, double> measurements;  // by name
};

enum class SheetVerdict { shown, unfinished, reproduced, not_reproduced, undecided, not_testable };
/// "shown" (no rule), "unfinished", "reproduced", "not reproduced", "undecided", "not testable at this scale".
std::string to_string(SheetVerdict verdict);

/// A planned row with what the runs gave.
struct SheetRow {
    PlannedRow plan;
    std::optional<RunSpec> spec;  // of the group's first run; nullopt where nothing of it is trained
    // Of the group, one a run that has ended: NaN for a run that failed before it gave a number.
    std::vector<std::int64_t> seeds;
    std::vector<double> values;
    Sample ours;
    int failed = 0;   // runs of the group that failed, as by diverging; counted for events
    int waiting = 0;  // runs of the group, its baseline or its control that have not ended or are not measured yet
    std::vector<double> baseline_values;  // of the baseline's runs
    std::vector<double> mates;            // the same of the group's seeds, NaN where the baseline has none
    Sample baseline;

    // Group against baseline; nullopt where there is no baseline or a test has nothing to say.
    std::optional<double> difference;  // of the means
    std::optional<double> difference_percent;
    std::optional<double> p_student, p_welch, p_paired;  // two-tailed tests of no difference
    std::optional<double> p_equivalence;                 // within the rule's margin, by the rule's test
    std::optional<double> p_rule, p_holm;                // of the rule's own test, raw and corrected
    SheetVerdict verdict = SheetVerdict::shown;
    std::string words;  // why
    /// Of the control against the baseline, where the row has one.
    std::optional<double> control_percent, control_p;
    /// Seeds in each group that would decide, at the differences and spreads seen; only where undecided.
    std::optional<std::int64_t> seeds_to_decide;

    // The paper's own numbers, recomputed from the means and deviations that it prints.
    std::optional<double> paper_difference_percent;
    std::optional<double> paper_p_student, paper_p_welch;
};

/// A prediction and what became of it.
struct ScoredPrediction {
    enum class Outcome { right, wrong, unmeasured } outcome = Outcome::unmeasured;
    Prediction prediction;
    std::string words;  // what was measured, or why nothing was
};
/// "right", "wrong", "not scored" (not measured, or by the rule nothing could be told).
std::string to_string(ScoredPrediction::Outcome outcome);

/// Whether a run has the values that a group asks for. Throws BadInput for a key that there is none.
bool belongs(const RunSpec& spec, const GroupKeys& group);

/// A measure of a run: of measures() by name, else of its measurements; NaN where there is none.
double measured_value(const SheetRun& run, const std::string& measure);

/// The rows of a plan, judged by its rules. Of several runs of one seed the last one counts. At `smoke` scale, where
/// nothing is learned, no claim is testable; the words say what the rule would have said.
std::vector<SheetRow> evaluate(const SheetPlan& plan, std::span<const SheetRun> runs);

/// The plan's predictions, scored on the means of the groups, those of retrieval by their rule. One is "not
/// measured" while a run of its groups has not ended or lacks the measurement (a NaN that is stored counts as given),
/// where a group has no number at all, where no group retrieves what could be lost, and at `smoke` scale.
std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs);

}  // namespace ropelab
