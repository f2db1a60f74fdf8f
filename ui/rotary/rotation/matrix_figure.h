#pragma once

#include <QSizeF>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// Heads up to this size are written out whole.
inline constexpr int kWholeMatrix = 16;

/// The channels whose rows and columns are shown, ascending, in at most so many `places`, where a gap between two of
/// them takes a place: the first, the last, the large pair's, and their neighbours as far as they fit. All of them for
/// small heads.
std::vector<int> matrixChannels(const RotationScene& scene, int places);

/// One number of R_m, at the query's position, without an attention factor.
double matrixEntry(const RotationScene& scene, int row, int column);

/// The size that the drawing needs to be read.
QSizeF matrixMinimum(const RotationScene& scene, const FigureStyle& style);

/// "rotation-matrix": R_m written out with today's numbers, large heads folded about the large pair (RoFormer eq. 15;
/// F1, F6). Its data are the entries that are not zero.
Figure matrixFigure(const RotationScene& scene);

}  // namespace ropelab::ui
