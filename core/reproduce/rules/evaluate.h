#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/sheet_row.h"
#include "core/reproduce/rules/verdict.h"

namespace ropelab {

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

/// "theta = 500".
std::string differing_text(const std::vector<GroupKeys>& groups, std::size_t group);

/// "Budget: 600 steps, 460k tokens per run; no search tuned the two groups, which have equal optimizer settings."; ""
/// for a row without a baseline, or whose runs have not ended.
std::string budget_words(const SheetRow& row);

/// From its measurements or its summary (measures()); NaN if there is none.
double measured_value(const SheetRun& run, const std::string& measure);

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
