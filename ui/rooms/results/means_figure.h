#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// A large point per group for the mean, a bar for its 95 % confidence interval, small points beside it for the seeds,
/// and a line at the baseline's mean.
ResultsPicture meansFigure(const ResultsData& data);

/// Differences from the baseline: a small point for each pair of runs with equal seed, the mean difference of each
/// group with its 95 % confidence interval, and a line at 0.
ResultsPicture pairedDifferences(const ResultsData& data);

}  // namespace ropelab::ui
