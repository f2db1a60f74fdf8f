#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of the snapshot at the time cursor, against position or distance. The first snapshot is drawn dashed.

InspectPicture lossByPosition(const InspectData& data);
/// By lag, with the baseline accuracy.
InspectPicture retrievalAccuracy(const InspectData& data);
/// The loss on copied tokens by lag, with the baseline loss.
InspectPicture retrievalLoss(const InspectData& data);
/// The mean logit, one curve per layer, or per head of the selected layer.
InspectPicture logitByDistance(const InspectData& data);

/// In tokens.
QList<double> lagsOf(const ProbeResult& result);
/// In percent, one per lag.
QList<double> accuraciesOf(const ProbeResult& result);
/// The losses on copied tokens in nats, one per lag.
QList<double> lossesOf(const ProbeResult& result);

}  // namespace ropelab::ui
