#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// Numbers at the cursor against position or distance; the first snapshot dashed.

InspectPicture lossByPosition(const InspectData& data);
InspectPicture retrievalAccuracy(const InspectData& data);
InspectPicture retrievalLoss(const InspectData& data);
/// The mean logit by distance, one curve a layer (or head).
InspectPicture logitByDistance(const InspectData& data);

/// A curve's x and y from points of retrieval.
QList<double> lagsOf(const ProbeResult& result);
QList<double> accuraciesOf(const ProbeResult& result);
QList<double> lossesOf(const ProbeResult& result);

}  // namespace ropelab::ui
