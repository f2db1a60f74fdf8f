#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// The run's attention minus the second one's: of the text that both runs' snapshots read, symbol by symbol.

/// Why there is no difference to draw; "" where there is.
QString whyNoAttentionDifference(const InspectData& data);
/// layers × heads × map_size × map_size, −1 to 1. Only where there is one.
ProbeArray attentionDifference(const InspectData& data);
// The largest size of a difference over all snapshots of the run and what the second one shows at the same steps, so
// that colours mean the same in every frame. Only where there is one.
/// In any layer and head.
double largestAttentionDifference(const InspectData& data);
/// In the chosen layer and head, or their mean.
double largestChosenDifference(const InspectData& data);
/// "step 50: run − second run", or "step 50 of run − step 40 of second run"; the step first, which is cut last.
QString attentionDifferenceNote(const InspectData& data);

}  // namespace ropelab::ui
