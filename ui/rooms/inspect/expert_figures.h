#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of mixtures of experts (formulas 49 to 51), measured on the probe's sequences. Without a selected layer they
// show all layers with experts.

/// Returns the heat map of the share of each expert over training, one column per snapshot.
InspectPicture expertLoad(const InspectData& data);
/// Returns the heat map of the share that each expert has of each class of tokens, at the time cursor.
InspectPicture expertLoadByClass(const InspectData& data);
/// Returns the heat map of the tokens that are routed to each expert most often, at the time cursor. The labels of the
/// rows contain the first tokens as text.
InspectPicture expertTokens(const InspectData& data);
/// Returns the load-balancing loss over training, one curve per layer.
InspectPicture expertBalance(const InspectData& data);
/// Returns the share of choices beyond the capacity over training, one curve per layer.
InspectPicture expertDropped(const InspectData& data);

}  // namespace ropelab::ui
