#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

// The compared measure against one swept key: means with bars of one sample standard deviation over the seeds, one
// curve for each combination of the other swept keys. Groups that do not rotate are a line across.

/// Against θ (the theta paper's figure 1), with published values in grey.
ResultsPicture lossByTheta(const ResultsData& data);
/// Against the rotated fraction in percent. Shaded: the range of all runs that rotate two channels or none, and of all
/// that rotate 10 % and more (the partial-RoPE paper's two bands).
ResultsPicture lossByFraction(const ResultsData& data);
/// Against the context length.
ResultsPicture lossByContext(const ResultsData& data);

/// The improvement over the baseline in percent of its mean with the 95 % interval that the chosen test inverts (the
/// theta paper's figure 2). Along θ, or else the first of fraction, context and learning rate that was swept. Each
/// series is compared with its own group at the baseline's value of that key.
ResultsPicture improvementFigure(const ResultsData& data);

}  // namespace ropelab::ui
