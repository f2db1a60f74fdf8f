#pragma once

#include <optional>
#include <span>

#include "ui/rooms/rotation/rotation_state.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// Figures in the initial state of the room: m = 100, n = 60, q and k sampled with seed 1, and Δ = 40 tokens for "aim".
/// The first token of token-rotation is at position 0, and the circuit is a previous-token head.
std::span<const RotaryFigure> rotationFigures();

/// nullopt if the room has no figure with this name.
std::optional<Figure> rotationFigureOf(const QString& name, const RotationScene& scene);

/// True for figures of the room that depend on positions and on the enlarged pair. All other rotary figures depend on
/// theta alone.
bool changesWithPosition(const QString& name);

}  // namespace ropelab::ui
