#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// For screen readers: its own summary, or else quantity, range, number of curves, lowest and highest value.
QString figureSummary(const Figure& figure);

}  // namespace ropelab::ui
