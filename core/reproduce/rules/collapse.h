#pragma once

#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

// Scores of the predictions whose retrieval rule compares each group with itself (RetrievalRule::probes).

/// Finding on the retrieval of one group.
/// `declines`: the gain at the far lag is low, but not lower than at the control lag, so that the distance explains it.
/// `no_control`: the rule requires a control lag, and the group has none.
enum class Collapse { collapses, retrieves, undecided, declines, not_learned, no_control };
/// Gains of one group, paired by seed, and what follows from them.
struct CollapseTest {
    Collapse finding = Collapse::undecided;
    std::int64_t seeds = 0;    // number of seeds with both gains
    double near = 0, far = 0;  // mean gains at the lags with the highest and the lowest B
    double control = 0;        // mean gain at the control lag; NaN if the rule has none
    // Means over the seeds with intervals of the rule's confidence (group_confidence).
    Description drop;          // near − far, paired by seed
    Description excess;        // far − kept · near, paired by seed
    Description over_control;  // far − kept · control, paired by seed; empty if the rule has no control
};
/// Gains of a group at its lags, one element per seed. `control` is empty for a rule of version 2.
struct LagGains {
    std::vector<double> near, far, control;
};
/// Returns the test of a group's gains. Seeds with a value that is not finite are left out.
CollapseTest collapse_test(const RetrievalRule& rule, const LagGains& gains);

/// Sets outcome, words and chance of a prediction whose retrieval rule has probes. The prediction is right if every
/// scored group collapses or retrieves as predicted, wrong if one of them does not, and not scored if one is undecided
/// or declines with distance alone. Groups without a control lag and groups that have not learned retrieval are left
/// out, and the chance is that of the remaining groups; with chance 1 the prediction is not scored.
void score_collapse(ScoredPrediction& scored, std::span<const SheetRun> runs);

/// Returns the reason why a prediction has no score yet, with the number of runs that are still to train and to
/// measure.
std::string missing_values_words(std::int64_t waiting, std::int64_t unmeasured);

}  // namespace ropelab
