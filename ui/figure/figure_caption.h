#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// For a paper: quantities with units, number of runs or seeds, meaning of bars and bands, and settings.
QString captionOf(const Figure& figure);

}  // namespace ropelab::ui
