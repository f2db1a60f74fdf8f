#pragma once

#include "ui/inspect/inspect_figures.h"

namespace ropelab::ui {

class Workspace;

/// Which run and which moment a figure is of.
struct InspectMoment {
    RunId run = 0;                // 0: the lab's first
    RunId ghost = 0;              // 0: none; heat maps show the difference
    std::int64_t iteration = -1;  // −1: the newest snapshot
    QString text = {};            // that attention is looked at in; "" for the snapshot's own
    int pair = 0;                 // whose part of the text's logits is shown
};

/// A figure of the workspace's lab without a widget; asks the run's checkpoint where the figure reads its model. Throws
/// BadInput, saying what is missing, where there is nothing to draw.
Figure inspectFigureOf(Workspace& workspace, const InspectFigure& figure, const InspectMoment& moment);

}  // namespace ropelab::ui
