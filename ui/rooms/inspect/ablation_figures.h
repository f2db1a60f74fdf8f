#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of a run's checkpoint with pairs ablated. Each shows the controls beside the ablation
// (core/study/ablation_control.h), or says that there are none.

InspectPicture ablationLoss(const InspectData& data);
InspectPicture ablationRetrieval(const InspectData& data);
InspectPicture ablationCurve(const InspectData& data);
InspectPicture ablationRetrievalCurve(const InspectData& data);

/// As "pairs 0–3 frozen".
QString ablationText(const Ablation& ablation);

}  // namespace ropelab::ui
