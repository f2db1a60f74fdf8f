#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/sheet.h"

namespace ropelab {

struct SheetRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<RunSummary> summary;
    std::map<std::string, double> measurements;  // measured values by measure name
};

/// `baseline` is a row without a rule that other rows are compared with, `shown` any other row without a rule.
enum class SheetVerdict { shown, baseline, unfinished, reproduced, not_reproduced, undecided, not_testable };
std::string to_string(SheetVerdict verdict);

/// The unit is that in which a figure compares rows.
struct RowEffect {
    /// `percent`: of the baseline's mean. `ratio`: of the means. `proportion`: of the group's runs, those with the
    /// event. `proportion_difference`: that minus the baseline's.
    enum class Scale { percent, ratio, proportion, proportion_difference } scale = Scale::percent;
    double value = 0;
    /// Confidence 1 − alpha, without correction: of the paired mean difference (or Welch's), Fieller's of a ratio,
    /// Clopper and Pearson's of a proportion, or proportion_difference of two; nullopt if there is none.
    std::optional<double> low, high;
    /// From −margin to +margin, the range of the ratio, or from the bound to 1 (or 0 to it); nullopt without a range.
    std::optional<double> range_low, range_high;
    std::optional<double> paper;  // the paper's value on the same scale; nullopt if it prints none
};
std::string to_string(RowEffect::Scale scale);

struct SheetRow {
    PlannedRow plan;
    std::optional<RunSpec> spec;  // of the group's first run; nullopt if the sheet trains no such run
    // For each ended run of the group; NaN for a run that failed without a value.
    std::vector<std::int64_t> seeds;
    std::vector<double> values;
    Sample ours;
    int failed = 0;           // number of seeds whose run of the group failed, diverged runs among them
    int baseline_failed = 0;  // as `failed`, of the baseline
    int waiting = 0;          // number of runs of group, baseline and control that have not ended or are not measured
    std::vector<double> baseline_values;  // values of the baseline's runs
    std::vector<double>
        paired_baseline_values;  // baseline value with the same seed as each of `values`; NaN if there is none
    Sample baseline;

    // nullopt if there is no baseline or the test has no result.
    /// If the test is paired, mean paired difference over common seeds; otherwise the difference of the means.
    std::optional<double> difference;
    std::optional<double> difference_low, difference_high;  // interval with the confidence 1 − alpha of the rule
    double reference = 0;                                   // mean of the baseline's values that enter `difference`
    std::optional<double> difference_percent;               // 100·difference / |reference|
    std::optional<double> p_student, p_welch, p_paired;     // two-tailed tests of equal means
    std::optional<double> p_equivalence;                    // equivalence within the rule's margin, by the rule's test
    std::optional<double> p_rule, p_holm;                   // p of the rule's test, raw and corrected
    std::optional<double> p_refutation;                     // p of the claim's refutation, corrected
    std::optional<RowEffect> effect;                        // nullopt for a row without a rule or a test
    SheetVerdict verdict = SheetVerdict::shown;
    /// If the sheet's scale withholds it (`verdict` is then `not_testable`).
    std::optional<SheetVerdict> by_rule;
    bool is_by_refutation = false;  // the verdict rests on p_refutation instead of p_holm
    std::string words;              // reason for the verdict, or for the verdict by the rule alone
    /// Between the control and the group that it is compared with, and the p of that test; nullopt without a control.
    std::optional<double> control_percent, control_p;
    /// Per group, for the observed difference and standard deviation; only if undecided.
    std::optional<std::int64_t> seeds_to_decide;

    // Recomputed from the published means and standard deviations.
    std::optional<double> paper_difference_percent;
    std::optional<double> paper_p_student, paper_p_welch;
};

struct ScoredPrediction {
    enum class Outcome { right, wrong, undecided, unmeasured } outcome = Outcome::unmeasured;
    Prediction prediction;
    /// Right by chance under the null model, for the groups that were scored.
    double chance = 1;
    std::string words;  // measured values with their test, or the reason why there is no score
    struct Group {
        std::string label;  // settings that distinguish it
        Sample sample;
        bool low = false;  // it belongs to Prediction::low
    };
    std::vector<Group> groups = {};  // empty for a prediction about retrieval, and if there is no score
    std::string unit = {};           // of the groups' means; "" if they have none
    /// Welch, of the closest groups: the highest mean that is predicted to be low and the lowest of the others.
    std::optional<TTest> test = {};
};
/// "not scored" if not measured, or not decidable by the prediction's rule.
std::string to_string(ScoredPrediction::Outcome outcome);

/// True if the run has all values of the group. Throws BadInput for an unknown key.
bool belongs(const RunSpec& spec, const GroupKeys& group);

/// "theta = 500".
std::string differing_text(const std::vector<GroupKeys>& groups, std::size_t group);
/// "nats"; "" if the measure has none.
std::string unit_of(const std::string& measure);
/// Also for the increase of a loss.
bool is_loss(const std::string& measure);

/// From its measurements or its summary (measures()); NaN if there is none.
double measured_value(const SheetRun& run, const std::string& measure);

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

/// If several runs share a seed, the last one counts. At `smoke` scale, where models learn nothing, no claim is
/// testable; `by_rule` is the verdict that the rule would give.
std::vector<SheetRow> evaluate(const SheetPlan& plan, std::span<const SheetRun> runs);

/// Groups are compared by the order of their means (Prediction::order_rule), or by the retrieval rule. A prediction is
/// not scored at `smoke` scale, while a run of its groups has not ended or is not measured (a stored NaN counts as
/// measured), if a group of an order has no finite value or a failed run, if no group has learned retrieval, if the
/// intervals of a retrieval rule do not decide, or if its chance under the null model is 1. Retrieval rules of earlier
/// versions, which a lab stored, are applied as they were.
std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> runs);

/// By seed, for ended runs.
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

/// If several runs share a seed, the last one counts. The value of a failed run is NaN unless it was measured.
GroupValues values_of(std::span<const SheetRun> runs, const GroupKeys& group, const std::string& measure);
/// NaN for a seed without a finite value in one group. A seed counts as failed or not measured if it is in one.
GroupValues mean_by_seed(std::span<const GroupValues> groups);
/// In the order of the group's seeds; NaN if the baseline lacks the seed.
std::vector<double> values_with_same_seeds(const GroupValues& group, const GroupValues& baseline);

struct Calibration {
    int scored = 0;       // number of predictions with a score and a chance below 1
    int right = 0;        // number of them that are right
    double expected = 0;  // number that is expected to be right by chance: the sum of the chances
    /// At least `right` right predictions by chance, if they were independent.
    double p = 1;
};
/// Predictions with chance 1 and those of a retrieval rule of version 1, whose null model does not apply, are left out.
Calibration calibration_of(std::span<const ScoredPrediction> predictions);
/// P(X ≥ least) for the number X of successes with these probabilities (Poisson binomial), exactly, by convolution.
double at_least_by_chance(std::span<const double> chances, int least);

/// Two sentences; "" if no prediction is scored.
std::string calibration_words(const Calibration& calibration);
/// `scored`, `right`, `expected_by_chance`, `p_at_least_as_many` (null if none is scored) and `words`.
nlohmann::json calibration_json(const Calibration& calibration);

/// `declines`: the gain at the far lag is low, but not lower than at the control lag, so that the distance explains it.
/// `no_control`: the rule requires a control lag, and the group has none.
enum class Collapse { collapses, retrieves, undecided, declines, not_learned, no_control };
/// Gains of one group, paired by seed, and what follows from them.
struct CollapseTest {
    Collapse finding = Collapse::undecided;
    std::int64_t seeds = 0;    // number of seeds with both gains
    double near = 0, far = 0;  // mean gains at the lags with the highest and the lowest B
    double control = 0;        // mean gain at the control lag; NaN if the rule has none
    // Over the seeds, with intervals of the rule's confidence (group_confidence).
    Description drop;          // near − far, paired by seed
    Description excess;        // far − kept · near, paired by seed
    Description over_control;  // far − kept · control, paired by seed; empty if the rule has no control
};
/// `control` is empty for a rule of version 2.
struct LagGains {
    std::vector<double> near, far, control;
};
/// Seeds with a value that is not finite are left out.
CollapseTest collapse_test(const RetrievalRule& rule, const LagGains& gains);

}  // namespace ropelab
