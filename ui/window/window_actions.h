#pragma once

#include <QList>
#include <functional>

#include "ui/help/command_palette.h"

namespace ropelab::ui {

class ActionRegistry;
class RoomStack;
class RotaryController;
class Settings;
class StatusStrip;
class Workspace;

// The actions of the window that belong to no controller, in groups, and what its palette finds.

/// Undo and Redo apply to what the current room changes. They are enabled while a playback runs, which undoing stops.
void addUndoActions(ActionRegistry& actions, RoomStack& rooms, Workspace& workspace, StatusStrip& strip);
void addFigureActions(ActionRegistry& actions, RoomStack& rooms);
void addListenAction(ActionRegistry& actions, RoomStack& rooms);
void addThemeActions(ActionRegistry& actions, Settings& settings);
void addRunActions(ActionRegistry& actions, RoomStack& rooms, Workspace& workspace);

/// What the palette finds beside the actions: the fields and figures of all rooms, formulas, headings of the guide and
/// models. `openPanel` shows the panel of the current room.
CommandPalette::Source paletteSource(RoomStack& stack, RotaryController& rotary,
                                     const std::function<void()>& openPanel);

}  // namespace ropelab::ui
