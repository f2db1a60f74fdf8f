#pragma once

#include <vector>

#include "ui/plot/curve_bands.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

/// The visible runs that differ only in their seed, in order of first appearance, labelled "θ 10k, 100 %, 3 seeds". A
/// run without other seeds is a group of its own. Of runs with equal settings and equal seed, only the first belongs to
/// the group.
std::vector<CurveGroup> seedGroups(const std::vector<RunView>& runs);

bool anyRepeats(const std::vector<CurveGroup>& groups);

}  // namespace ropelab::ui
