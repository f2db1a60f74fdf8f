#pragma once

#include <QStringList>
#include <vector>

#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

const std::vector<RotaryFigure>& rotaryFigures();
QStringList rotaryFigureNames();
/// Null if the name is unknown.
const RotaryFigure* findRotaryFigure(const QString& name);

}  // namespace ropelab::ui
