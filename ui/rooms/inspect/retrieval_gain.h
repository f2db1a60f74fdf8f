#pragma once

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// The retrieval gain at the time cursor by attended distance (lag − 1), with its 95 % interval over the sequences. The
/// same axis shows the context bound B(Δ) of the run's frequencies as a percentage of B(0), and the run's own mean
/// logit by distance, centred and as a percentage of its largest deviation. The gains of the lab's other seeds of this
/// run (their newest snapshots) and of the second run are drawn with their own intervals.
InspectPicture retrievalGain(const InspectData& data);

}  // namespace ropelab::ui
