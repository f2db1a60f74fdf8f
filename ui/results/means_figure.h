#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// The compared measure of each group: a point for the mean with a bar for its 95 % confidence interval, small points
/// beside it for the seeds, and a line at the baseline's mean.
ResultsPicture meansFigure(const ResultsData& data);

/// Each group's differences from the baseline by seed: a point a pair, the mean of the differences with its 95 %
/// interval, and a line at 0.
ResultsPicture pairedDifferences(const ResultsData& data);

}  // namespace ropelab::ui
