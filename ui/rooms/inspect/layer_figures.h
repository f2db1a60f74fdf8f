#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of the measurements by layer (formula 56). Heat maps have one column per snapshot and one row per layer, or
// per attention and MLP of each layer; curves show one snapshot against the layer.

/// As common logarithms.
InspectPicture gradientNormMap(const InspectData& data);
/// As common logarithms.
InspectPicture updateRatioMap(const InspectData& data);
/// The root mean square.
InspectPicture residualStreamMap(const InspectData& data);
/// The largest magnitude in the residual stream (massive activations).
InspectPicture massiveActivationMap(const InspectData& data);

InspectPicture gradientNormByLayer(const InspectData& data);
/// The relative update of the last step, and accumulated since initialization.
InspectPicture updatesByLayer(const InspectData& data);
InspectPicture residualStreamByLayer(const InspectData& data);

}  // namespace ropelab::ui
