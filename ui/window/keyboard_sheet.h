#pragma once

#include <QFrame>

namespace ropelab::ui {

class ActionRegistry;

/// Every shortcut, by menu, over the window (F1). Escape, F1 or a click puts it away.
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
