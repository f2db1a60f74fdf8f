#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// One dial per pair, for one layer and head at the cursor. The angle of the hand q is the rotation of the query
/// relative to the key at the selected lag Δ (g·Δ). The lengths of the hands are the mean query and key norms of the
/// pair (F33), relative to the largest norm in any snapshot of both runs, so that steps and runs are comparable.
InspectPicture pairDials(const InspectData& data);

}  // namespace ropelab::ui
