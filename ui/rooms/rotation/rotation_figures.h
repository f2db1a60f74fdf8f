#pragma once

#include <optional>
#include <span>

#include "ui/rooms/rotation/rotation_state.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// Returns the figures of the rotation room by name: dials, pair, logit-split, helix, rotation-matrix, aim,
/// token-rotation, circuit-attention, circuit-distance. They use the initial state of the room: m = 100, n = 60, q and
/// k sampled with seed 1, and Δ = 40 tokens for "aim". The first token of token-rotation is at position 0, and the
/// circuit is a previous-token head.
std::span<const RotaryFigure> rotationFigures();

/// Returns the figure of the Rotation room with this name for a scene, or nullopt if it has no figure with this name.
std::optional<Figure> rotationFigureOf(const QString& name, const RotationScene& scene);

/// Returns whether the figure of the Rotation room with this name shows the tokens of a text.
bool showsTokens(const QString& name);
/// Returns the figure of rotationFigures() with this name for a text; the name must be one that shows tokens.
Figure rotationFigureOfText(const QString& name, const RotarySetup& setup, const QString& text);
/// Returns whether this is the name of a figure of the Rotation room that depends on positions and on the enlarged
/// pair. All other rotary figures depend on theta alone.
bool changesWithPosition(const QString& name);

}  // namespace ropelab::ui
