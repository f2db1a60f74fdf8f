#pragma once

#include "core/reproduce/evaluate.h"

namespace ropelab {

// Scores of the predictions whose retrieval rule compares each group with itself (RetrievalRule::probes).

/// Finding on the retrieval of one group.
enum class Collapse { collapses, retrieves, undecided, not_learned };
/// Gains of one group, paired by seed, and what follows from them.
struct CollapseTest {
    Collapse finding = Collapse::undecided;
    std::int64_t seeds = 0;    // number of seeds with both gains
    double near = 0, far = 0;  // mean gains at the lags with the highest and the lowest B
    Description drop;          // near − far, paired by seed
    Description excess;        // far − kept · near, paired by seed: its interval decides
};
/// Returns the test of a group's gains at its near and far lag, one element per seed. Pairs with a value that is not
/// finite are left out.
CollapseTest collapse_test(const RetrievalRule& rule, std::span<const double> near, std::span<const double> far);

/// Sets outcome, words and chance of a prediction whose retrieval rule has probes. The prediction is right if every
/// scored group collapses or retrieves as predicted, wrong if one of them does not, and not scored if one is undecided.
/// Groups that have not learned retrieval are left out, and the chance is that of the remaining groups; with chance 1
/// the prediction is not scored.
void score_collapse(ScoredPrediction& scored, std::span<const SheetRun> runs);

/// Returns the reason why a prediction has no score yet, with the number of runs that are still to train and to
/// measure.
std::string missing_values_words(std::int64_t waiting, std::int64_t unmeasured);

}  // namespace ropelab
