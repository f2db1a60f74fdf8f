#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of quantities over training. A second run is drawn faintly behind the first. The time cursor is a vertical
// line that can be dragged (its handle is "time").

/// The logit contribution (F8) of the five parts with the largest contribution at the cursor, and of the highlighted
/// pair. A part is a pair or all channels that are not rotated.
InspectPicture contributionsOverTraining(const InspectData& data);
/// One curve per layer, or per head of the selected layer.
InspectPicture entropyCourse(const InspectData& data);
/// The mean attention weight of the first token (attention sink), one curve per layer, or per head of the selected
/// layer.
InspectPicture sinkCourse(const InspectData& data);
InspectPicture retrievalCourse(const InspectData& data);
/// For runs in which theta is trained or scheduled. If every frequency is trained separately, the curves are the
/// wavelengths of one layer's pairs.
InspectPicture thetaCourse(const InspectData& data);
InspectPicture lossCourse(const InspectData& data);

struct HeadLine {
    QString label;
    std::int64_t layer;
    std::int64_t head;  // −1: the mean over heads
};
/// One entry per layer, or per head of the selected layer.
std::vector<HeadLine> headLines(const InspectData& data);

}  // namespace ropelab::ui
