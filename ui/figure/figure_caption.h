#pragma once

#include <QString>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Caption for a paper: quantities with units, the number of runs or seeds, the meaning of bars and bands, and the
/// settings.
QString captionOf(const Figure& figure);

}  // namespace ropelab::ui
