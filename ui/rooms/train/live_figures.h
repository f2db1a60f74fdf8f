#pragma once

#include <span>

#include "ui/probes/inspect_data.h"
#include "ui/rooms/train/live_data.h"

namespace ropelab::ui {

// Figures of the newest snapshots of runs in training: of one run, or one curve per setting.

/// A figure of probes that the Train room offers.
struct LiveFigure {
    const char* name;  // as that of the Inspect room's figure of the same quantity
    QString title;
    QString why;  // explanation with the formula, for the tooltip
    InspectPicture (*make)(const LiveData& data);
    bool isOfExperts = false;  // it shows LiveRun::experts
};

/// Returns all figures of probes, in the order of the Train room's list.
std::span<const LiveFigure> liveFigures();
/// Returns the figure with this name; nullptr if there is none.
const LiveFigure* findLiveFigure(const QString& name);

}  // namespace ropelab::ui
