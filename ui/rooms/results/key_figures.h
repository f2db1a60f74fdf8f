#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

// Figures of the compared measure against one swept setting. Points are means, bars are one sample standard deviation
// over the seeds; each combination of the other swept settings has its own curve. A group for which the setting has no
// meaning (θ of a model without RoPE) is a horizontal line.

/// After figure 1 of Huang et al. 2025, with published values in grey.
ResultsPicture lossByTheta(const ResultsData& data);
/// The rotated fraction is in percent. Two bands are shaded: the range of all runs that rotate at most two channels,
/// and of all runs that rotate at least 10 % (the two bands of Khan et al.).
ResultsPicture lossByFraction(const ResultsData& data);
ResultsPicture lossByContext(const ResultsData& data);

/// The improvement over the baseline in percent of the baseline's mean, with 95 % intervals of the chosen test (figure
/// 2 of Huang et al. 2025). The x axis is θ if it was swept, else the first of fraction, context and learning rate that
/// was swept. Each series is compared with its own group at the baseline's value of that setting.
ResultsPicture improvementFigure(const ResultsData& data);

}  // namespace ropelab::ui
