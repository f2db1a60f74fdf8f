#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// How heads read: of the typed text where there is one, else of the snapshot's own.

/// Small maps of every head, layers downwards.
InspectPicture attentionGrid(const InspectData& data);
/// One head large: queries upwards, keys to the right.
InspectPicture attentionMap(const InspectData& data);
/// The lit pair's part of the logit on the same map; of a typed text only.
InspectPicture pairLogits(const InspectData& data);
/// Mean attention by distance, one curve a head of the chosen layer.
InspectPicture attentionByDistance(const InspectData& data);
/// Its Fourier spectrum against wavelength, with the wavelengths of RoPE's pairs marked.
InspectPicture attentionSpectrum(const InspectData& data);

/// The shares that the picked symbol (or `query`) gives to each symbol of the text, with the symbols.
struct Reading {
    QStringList symbols;
    std::vector<double> shares;  // one each; 0 after the query
    int query = -1;
};
Reading readingOf(const InspectData& data, int query);

}  // namespace ropelab::ui
