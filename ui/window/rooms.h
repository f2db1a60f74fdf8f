#pragma once

#include <QKeySequence>
#include <QString>
#include <functional>
#include <span>

#include "ui/common/room.h"

namespace ropelab::ui {

class ActionRegistry;
class RoomStack;
class Workspace;

struct RoomEntry {
    const char* id;   // name of the room on the command line, for example "train"
    QString title;    // "Cos/sin table"
    QString purpose;  // one sentence for the tooltip
    /// SVG path in a square of 24 units.
    const char* outline;
    std::function<Room*(Workspace&, QWidget* parent)> make;
    /// Actions that belong to the room; they exist before it. May be empty.
    std::function<void(ActionRegistry&, RoomStack&, int index)> addActions;
    /// For the bar at the left of the window, if the title must be shorter there.
    QString shortTitle = {};

    const QString& barTitle() const { return shortTitle.isEmpty() ? title : shortTitle; }
};

/// In the order of the bar at the left of the window.
std::span<const RoomEntry> rooms();

/// `number` counts from 1: the keys 1 to 9, then 0, then Alt+1 to Alt+9. A room beyond those has none.
QKeySequence roomShortcut(int number);

}  // namespace ropelab::ui
