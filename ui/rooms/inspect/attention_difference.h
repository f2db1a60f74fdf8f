#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Difference of the attention weights of two runs (first minus second), token by token. Both runs' snapshots must
// contain attention maps of the same text.

/// "" if the difference can be shown.
QString whyNoAttentionDifference(const InspectData& data);
/// Layers × heads × map_size × map_size, from −1 to 1. Requires that whyNoAttentionDifference() returns "".
ProbeArray attentionDifference(const InspectData& data);
/// The maximum over all layers, heads and steps makes the colours of all steps comparable. Requires that
/// whyNoAttentionDifference() returns "".
double largestAttentionDifference(const InspectData& data);
/// As largestAttentionDifference(), but in the selected layer and head only, or in their mean.
double largestChosenDifference(const InspectData& data);
/// "step 50: run − second run", or "step 50 of run − step 40 of second run" if the steps differ. The step comes first
/// because a long note is cut off at its end.
QString attentionDifferenceNote(const InspectData& data);

}  // namespace ropelab::ui
