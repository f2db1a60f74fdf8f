#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of mixtures of experts (formulas 49 to 51), measured on the probe's sequences. Without a selected layer they
// show all layers with experts.

/// The share of each expert, one column per snapshot.
InspectPicture expertLoad(const InspectData& data);
/// The share that each expert has of each class of tokens, at the time cursor.
InspectPicture expertLoadByClass(const InspectData& data);
/// The tokens that are routed to each expert most often, at the time cursor. Row labels contain the first tokens as
/// text.
InspectPicture expertTokens(const InspectData& data);
/// The load-balancing loss over training, one curve per layer.
InspectPicture expertBalance(const InspectData& data);
/// The share of choices beyond the capacity over training, one curve per layer.
InspectPicture expertDropped(const InspectData& data);

}  // namespace ropelab::ui
