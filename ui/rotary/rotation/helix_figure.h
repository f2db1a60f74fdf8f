#pragma once

#include "ui/figure/figure.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// The positions that the helix shows: the whole window, or where that has more than 40 turns so many of them about m.
Range helixRange(const RotationScene& scene);

/// "helix": (cos mg, sin mg, m) of the large pair.
Figure helixFigure(const RotationScene& scene);

}  // namespace ropelab::ui
