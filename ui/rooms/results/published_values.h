#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// Values of Huang et al. 2025 for the data sets of these runs (see published_results).
PublishedResults publishedResults(const std::vector<ResultsRun>& runs);

}  // namespace ropelab::ui
