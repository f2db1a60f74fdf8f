#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// One sentence for screen readers: the figure's own summary, or else its quantity, its range, the number of its
/// curves, and its lowest and highest value; the text of an empty figure if it has nothing to draw.
QString figureSummary(const Figure& figure);

}  // namespace ropelab::ui
