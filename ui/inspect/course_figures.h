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

/// A curve of a layer, or of a head of the chosen one.
struct HeadLine {
    QString label;
    std::int64_t layer;
    std::int64_t head;  // −1: the mean over heads
};
std::vector<HeadLine> linesOf(const InspectData& data);

}  // namespace ropelab::ui
