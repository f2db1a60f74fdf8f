#pragma once

#include <QStringList>
#include <vector>

#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// Every figure of a rotary setup, room after room.
const std::vector<RotaryFigure>& rotaryFigures();
QStringList rotaryFigureNames();
/// Null for an unknown name.
const RotaryFigure* findRotaryFigure(const QString& name);

}  // namespace ropelab::ui
