#pragma once

#include <QJsonObject>
#include <QStringList>
#include <string>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

class Room;

/// The figures that slides.js draws.
QStringList liveFigureNames();

/// What resources/slides/slides.js needs to draw the figure of a closed form for other settings: the setup, q and k,
/// the axes, and `sliders`, those of the controls `names` of the scene on which it depends. Empty for other figures,
/// two or scaled setups, vectors that were not sampled, and if none of the controls matters.
QJsonObject liveFigure(const Figure& figure, const ComparedSetups& setups, Room& room,
                       const std::vector<std::string>& names);

}  // namespace ropelab::ui
