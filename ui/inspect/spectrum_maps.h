#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

// Heat maps of layers (or of one layer's heads) × pairs at the time cursor; with a second run and the choice of the
// difference, the first minus the second. Colours keep their ends over all snapshots, so that a replay can be compared
// from frame to frame.

InspectPicture querySpectrum(const InspectData& data);  // F33
InspectPicture keySpectrum(const InspectData& data);    // F33
InspectPicture valueSpectrum(const InspectData& data);  // F33's control
InspectPicture shareSpectrum(const InspectData& data);  // F8
InspectPicture queryChannels(const InspectData& data);  // F34
InspectPicture keyChannels(const InspectData& data);    // F34

/// The same of the second run, for a picture beside the first one's; the colours' ends are those of both. Its
/// `problem` says that only the first run's model is asked.
InspectData ofGhost(const InspectData& data);

}  // namespace ropelab::ui
