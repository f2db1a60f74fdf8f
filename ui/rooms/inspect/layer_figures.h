#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of the measurements by layer (formula 56). Heat maps have one column per snapshot and one row per layer, or
// per attention and MLP of each layer; curves show one snapshot against the layer.

/// Returns the heat map of the gradient norm of attention and MLP over training, as common logarithms.
InspectPicture gradientNormMap(const InspectData& data);
/// Returns the heat map of the update-to-weight ratio of attention and MLP over training, as common logarithms.
InspectPicture updateRatioMap(const InspectData& data);
/// Returns the heat map of the root mean square of the residual stream over training.
InspectPicture residualStreamMap(const InspectData& data);
/// Returns the heat map of the largest magnitude in the residual stream over training (massive activations).
InspectPicture massiveActivationMap(const InspectData& data);

/// Returns the gradient norm of attention and MLP by layer at the time cursor.
InspectPicture gradientNormByLayer(const InspectData& data);
/// Returns the relative update of attention and MLP by layer at the time cursor: of the last step, and accumulated
/// since initialization.
InspectPicture updatesByLayer(const InspectData& data);
/// Returns the root mean square and the largest magnitude of the residual stream by layer at the time cursor.
InspectPicture residualStreamByLayer(const InspectData& data);

}  // namespace ropelab::ui
