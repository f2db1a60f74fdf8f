#pragma once

#include <span>

#include "ui/probes/inspect_data.h"
#include "ui/rooms/train/live_data.h"

namespace ropelab::ui {

// Figures of the newest snapshots of runs in training: of one run, or one curve per setting.

struct LiveFigure {
    const char* name;  // as that of the Inspect room's figure of the same quantity
    QString title;
    QString why;  // explanation with the formula, for the tooltip
    InspectPicture (*make)(const LiveData& data);
    bool isOfExperts = false;  // it shows LiveRun::experts
};

/// In the order of the Train room's list.
std::span<const LiveFigure> liveFigures();
const LiveFigure* findLiveFigure(const QString& name);

}  // namespace ropelab::ui
