#pragma once

#include <span>

#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// The rotation room's figures by name, as the room shows them when it opens (m = 100, n = 60, the first draw of q and
/// k, aimed at 40 tokens for "aim"): dials, pair, logit-split, helix, rotation-matrix, aim.
std::span<const RotaryFigure> rotationFigures();

}  // namespace ropelab::ui
