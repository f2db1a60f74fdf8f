#pragma once

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/logit_curve.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The draggable vertical line at the aimed distance in FigureView::lineDragged.
inline constexpr const char* kAimHandle = "aimed-distance";

/// The logit versus the distance m − n, with marks at its maximum, at the aimed distance Δ and at the current distance
/// (formula 17).
Figure aimFigure(const RotationScene& scene, const LogitCurve& curve);

QString aimText(const RotationScene& scene, const LogitCurve& curve);

}  // namespace ropelab::ui
