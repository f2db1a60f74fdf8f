#pragma once

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The whole context, or 40 periods around m where the context has more.
Range helixRange(const RotationScene& scene);

/// The curve (cos mωᵢ, sin mωᵢ, m) of the enlarged pair, with marks at m and n.
Figure helixFigure(const RotationScene& scene);

}  // namespace ropelab::ui
