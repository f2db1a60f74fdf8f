#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Figures of attention weights. They show the typed text if there is one, else the text of the snapshot.

InspectPicture attentionGrid(const InspectData& data);
/// x is the key, y the query, with query 0 at the top.
InspectPicture attentionMap(const InspectData& data);
/// The term of one pair in each logit (F7); requires a typed text.
InspectPicture pairLogits(const InspectData& data);
/// One curve per head of the selected layer.
InspectPicture attentionByDistance(const InspectData& data);
/// Fourier spectrum of the mean attention weight by distance, with lines at the wavelengths of RoPE's pairs.
InspectPicture attentionSpectrum(const InspectData& data);

/// The attention weights of one query: one row of an attention map, with the text's tokens.
struct AttentionRow {
    QStringList tokens;
    std::vector<double> weights;  // one per token; 0 after the query
    int query = -1;               // index of the query in `tokens`; −1 if there is no attention map
};
/// `query` −1 selects the query of InspectChoices.
AttentionRow attentionRow(const InspectData& data, int query);

}  // namespace ropelab::ui
