#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

// Heat maps with one row per layer (or per head of one layer) and one column per pair or channel, at the time cursor.
// With a second run and InspectChoices::difference, they show the first run minus the second. The colour scale covers
// all snapshots, so that the frames of a replay are comparable.

/// F33.
InspectPicture querySpectrum(const InspectData& data);
/// F33.
InspectPicture keySpectrum(const InspectData& data);
/// The control of F33, since values are not rotated.
InspectPicture valueSpectrum(const InspectData& data);
/// F8.
InspectPicture contributionSpectrum(const InspectData& data);
/// F8 under the attention weights.
InspectPicture weightedContributionSpectrum(const InspectData& data);
/// Massive values, F34.
InspectPicture queryChannels(const InspectData& data);
/// Massive values, F34.
InspectPicture keyChannels(const InspectData& data);

/// For a figure beside that of the first run; `problem` states that only the first run's model is evaluated.
InspectData secondRunData(const InspectData& data);

}  // namespace ropelab::ui
