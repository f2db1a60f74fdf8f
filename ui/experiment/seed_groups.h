#pragma once

#include <vector>

#include "ui/experiment/run_store.h"
#include "ui/plot/curve_bands.h"

namespace ropelab::ui {

/// Visible runs that differ in their seed only, in order of first appearance: "θ 10k, 100 %, 3 seeds". A run that is
/// alone is a group of one; of runs that are equal in their seed as well the first stands for all.
std::vector<CurveGroup> seedGroups(const std::vector<RunView>& runs);

/// Whether a group has two runs or more: whether there is anything to average.
bool anyRepeats(const std::vector<CurveGroup>& groups);

}  // namespace ropelab::ui
