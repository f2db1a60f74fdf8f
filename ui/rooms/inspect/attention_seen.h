#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

struct AttentionSource {
    const ProbeResult* result = nullptr;
    std::int64_t iteration = 0;
};
/// The result for the typed text if there is one, else that of the snapshot at the cursor.
AttentionSource attentionSource(const InspectData& data);
/// As "step 50: run, typed text".
QString stepNote(const InspectData& data, const AttentionSource& source);

/// Selects one layer and head for attention maps. kAutomaticHead selects the head with the largest rotary logit
/// contribution (sum over all pairs, without the unrotated channels) in the run's newest snapshot, in the selected
/// layer or in any layer. It is the same head at every step. Without such contributions, as in a run without RoPE, it
/// is the head with the lowest entropy of its attention weights. For a run without snapshots, the result for the typed
/// text is used. Without any such result and for any other choice the data stay unchanged.
InspectData withOneHead(InspectData data);

std::vector<double> mapOf(const ProbeArray& array, const InspectData& data);
/// Positions along a side of the maps in an array of layers × heads × positions × positions; 0 for another shape.
int sideOf(const ProbeArray& array);

}  // namespace ropelab::ui
