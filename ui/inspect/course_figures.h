#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// Numbers over training, a second run faint beneath, the time cursor as a line that can be dragged ("time").

/// F8 of the lit pair, of the unrotated part and of the pairs with the largest share at the cursor.
InspectPicture shareCourse(const InspectData& data);
/// Mean entropy of attention, one curve a layer (or of one layer's heads).
InspectPicture entropyCourse(const InspectData& data);
/// The attention that goes to the first symbol, likewise.
InspectPicture sinkCourse(const InspectData& data);
/// Share of copies that are told, one curve a lag.
InspectPicture retrievalCourse(const InspectData& data);
/// Where theta stands in each layer (or head), for runs in which it moves; where each frequency moves by itself, their
/// wavelengths in one layer.
InspectPicture thetaCourse(const InspectData& data);
/// Validation loss with the cursor: the room's time axis.
InspectPicture lossCourse(const InspectData& data);

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
