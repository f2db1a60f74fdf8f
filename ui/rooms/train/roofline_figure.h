#pragma once

#include <vector>

#include "core/bench/roofline.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Measured training step of one run.
struct RooflineRun {
    QString label;
    Ink ink;                     // see RunView::ink
    bool picked = false;         // true: the point is emphasized
    bench::RooflinePoint point;  // arithmetic intensity and speed of the training step
};

/// Operations per second against operations per byte on logarithmic axes, with the limit of this machine as a line and
/// the training step of each run as a point. If the machine's speed is unknown or there are no runs, the figure
/// contains a sentence that says so.
Figure rooflineFigure(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs);

}  // namespace ropelab::ui
