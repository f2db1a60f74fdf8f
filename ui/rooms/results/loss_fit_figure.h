#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// The compared loss against the rotated fraction (after rounding to whole pairs) with the fit of formula 38: means ±
/// standard deviation per setting, and for each combination of size and number of tokens the fitted curve with its 95 %
/// prediction interval. If the runs differ in settings for which the fit has no term, the selected group chooses the
/// runs, or ResultsData::fitLike. If no fit is possible, the empty text says why.
ResultsPicture lossFitFigure(const ResultsData& data);

}  // namespace ropelab::ui
