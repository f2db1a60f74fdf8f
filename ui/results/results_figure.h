#pragma once

#include <optional>

#include "ui/plot/figure_view.h"
#include "ui/results/results_source.h"

namespace ropelab::ui {

/// The compared measure of each group: a point for the mean with a bar for its 95 % confidence interval, small points
/// beside it for the seeds, and a line at the baseline's mean. `picked` is a group's index, or −1.
Figure resultsFigure(const Results& results, int picked);

/// What the crosshair says of the group nearest to a place in that figure.
std::optional<FigureView::Readout> resultsReadout(const Results& results, QPointF place);

}  // namespace ropelab::ui
