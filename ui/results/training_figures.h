#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// Validation loss against iterations: each group's mean over the seeds that count, with ± one sample standard
/// deviation shaded, at iterations where all of them were evaluated. Failed runs are lines of their own, in red, and in
/// no mean. Reads the evaluations.
ResultsPicture meanCurves(const ResultsData& data);

/// Training loss and gradient norm (before clipping) of each step on one logarithmic axis: where a loss spikes, and
/// whether the gradient did so first. All runs where they are few, else those of the picked group. Reads the steps.
ResultsPicture spikeFigure(const ResultsData& data);
/// The runs whose steps it draws, as indices of `data.runs`.
std::vector<std::size_t> spikeRuns(const ResultsData& data);

}  // namespace ropelab::ui
