#pragma once

namespace ropelab::ui {

class MainWindow;

/// Adds the actions of the window, its controllers and its rooms in the order of the menus, fills the menu bar, and
/// says what the palette finds.
void addWindowActions(MainWindow& window);

}  // namespace ropelab::ui
