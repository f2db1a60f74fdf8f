#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of a run's checkpoint with pairs ablated. Each shows the controls beside the ablation
// (core/study/ablation_control.h), or says that there are none.

/// Returns the figure of the loss by position, for the whole model, with pairs ablated, and the mean of the controls.
InspectPicture ablationLoss(const InspectData& data);
/// Returns the figure of the retrieval accuracy by lag, for the whole model, with pairs ablated, and the mean of the
/// controls.
InspectPicture ablationRetrieval(const InspectData& data);
/// Returns the figure of the loss against the number of ablated pairs, starting with the fastest or the slowest pair.
InspectPicture ablationCurve(const InspectData& data);
/// Returns the figure of the retrieval accuracy against the number of ablated pairs, starting with the fastest or the
/// slowest pair.
InspectPicture ablationRetrievalCurve(const InspectData& data);

/// Returns an ablation in words, as "pairs 0–3 frozen".
QString ablationText(const Ablation& ablation);

}  // namespace ropelab::ui
