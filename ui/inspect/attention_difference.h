#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// The run's attention minus the second one's: of the text that both runs' snapshots read, symbol by symbol.

/// Why there is no difference to draw; "" where there is.
QString whyNoAttentionDifference(const InspectData& data);
/// layers × heads × map_size × map_size, −1 to 1. Only where there is one.
ProbeArray attentionDifference(const InspectData& data);
/// "run − second run, step 50".
QString attentionDifferenceNote(const InspectData& data);

}  // namespace ropelab::ui
