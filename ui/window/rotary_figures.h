#pragma once

#include <QStringList>
#include <vector>

#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// Returns all figures of a rotary setup, grouped by room.
const std::vector<RotaryFigure>& rotaryFigures();
/// Returns the names of all figures of a rotary setup.
QStringList rotaryFigureNames();
/// Returns the figure with this name, or null if the name is unknown.
const RotaryFigure* findRotaryFigure(const QString& name);

}  // namespace ropelab::ui
