#pragma once

#include <QFrame>

namespace ropelab::ui {

class ActionRegistry;

/// Every shortcut, by menu, over the window (Shift+F1, and F1 where nothing explains what the person is at). Escape,
/// the same keys or a click put it away.
class KeyboardSheet : public QFrame {
    Q_OBJECT

 public:
    KeyboardSheet(ActionRegistry* registry, QWidget* window);
    /// Shows it, or puts it away where it is shown.
    void toggle();

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

 private:
    void fill();
    ActionRegistry* m_registry;
};

}  // namespace ropelab::ui
