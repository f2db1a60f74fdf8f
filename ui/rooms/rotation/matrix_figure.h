#pragma once

#include <QSizeF>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The matrix is shown without gaps up to this head dimension.
inline constexpr int kWholeMatrix = 16;

/// Channels in ascending order: the first, the last, the two of the enlarged pair, and as many neighbours as fit in
/// `places` rows, where each gap takes one row. All channels up to head_dim = kWholeMatrix.
std::vector<int> matrixChannels(const RotationScene& scene, int places);

/// An entry of the rotation matrix R_m at the query's position m, without an attention factor.
double matrixEntry(const RotationScene& scene, int row, int column);

/// The smallest size at which the entries are legible.
QSizeF matrixMinimum(const RotationScene& scene, const FigureStyle& style);

/// The entries of R_m at the query's position; large heads show only the channels of matrixChannels (Su et al. 2021,
/// equation 15; formulas 1 and 6). Its table lists the entries that are not zero.
Figure matrixFigure(const RotationScene& scene);

}  // namespace ropelab::ui
