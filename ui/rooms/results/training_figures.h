#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// Returns the figure of the validation loss against steps: each group's mean over the seeds that count, ± one sample
/// standard deviation shaded, at the steps where all of them were evaluated. Failed runs are separate red lines and in
/// no mean. Requires ResultsRun::evaluations.
ResultsPicture meanCurves(const ResultsData& data);

/// Returns the figure of training loss and gradient norm (before clipping) of each step on one logarithmic axis. It
/// shows loss spikes and whether the gradient norm rises before them. Draws the runs of spikeRuns(). Requires
/// ResultsRun::steps.
ResultsPicture spikeFigure(const ResultsData& data);
/// Returns the runs that spikeFigure() draws, as indices of `data.runs`: all runs if there are at most 8, else the runs
/// of the selected group.
std::vector<std::size_t> spikeRuns(const ResultsData& data);

}  // namespace ropelab::ui
