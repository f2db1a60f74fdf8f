#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// Each group's mean validation loss over the seeds that count, ± one sample standard deviation shaded, at the steps
/// where all of them were evaluated. Failed runs are separate red lines and in no mean. Requires
/// ResultsRun::evaluations.
ResultsPicture meanCurves(const ResultsData& data);

/// Training loss and gradient norm (before clipping) of each step of spikeRuns() on one logarithmic axis, which shows
/// loss spikes and whether the gradient norm rises before them. Requires ResultsRun::steps.
ResultsPicture spikeFigure(const ResultsData& data);
/// Indices of `data.runs`: all runs if there are at most 8, else the runs of the selected group.
std::vector<std::size_t> spikeRuns(const ResultsData& data);

}  // namespace ropelab::ui
