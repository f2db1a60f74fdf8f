#pragma once

#include <vector>

#include "core/bench/roofline.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// A run's measured step.
struct RooflineRun {
    QString label;
    int colorIndex = 0;
    bool picked = false;
    bench::RooflinePoint point;
};

/// Operations a second over operations a byte, both logarithmic: what this machine reaches at most, and where the runs'
/// steps stand below it. Without a known machine or without runs it says so in words.
Figure rooflineFigure(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs);

}  // namespace ropelab::ui
