#pragma once

#include "ui/rotary/rotary_figure.h"

namespace ropelab::ui {

/// Every figure that has a name, room by room.
const FigureEntries& figureEntries();
/// As findFigure(figureEntries(), name).
const FigureEntry* findFigure(const QString& name);
/// Those of a rotary setup, which can be animated.
const std::vector<RotaryFigure>& rotaryFigures();
/// Null if there is none of this name.
const RotaryFigure* findRotaryFigure(const QString& name);

}  // namespace ropelab::ui
