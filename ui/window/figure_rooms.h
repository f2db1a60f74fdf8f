#pragma once

#include <QString>

namespace ropelab::ui {

struct FigureRoom {
    QString room;  // id of the room; "" for the window of known models, or for an unknown figure
    QString part;  // id of the part of the room; "" if the room shows the figure without a choice
};

FigureRoom roomOfFigure(const QString& name);

}  // namespace ropelab::ui
