#pragma once

#include "ui/figure/figure.h"
#include "ui/rotary/rotation/logit_curve.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// The handle of the line at r.
inline constexpr const char* kAimHandle = "r";

/// "aim": the logit against the distance m − n with its maximum, r, and today's distance (F17).
Figure aimFigure(const RotationScene& scene, const LogitCurve& curve);

/// "The largest logit in the context is 5.66, at distance 300 tokens: there q finds this k."
QString aimText(const RotationScene& scene, const LogitCurve& curve);

}  // namespace ropelab::ui
