#pragma once

#include <QFrame>
#include <QPointer>

class QScrollArea;

namespace ropelab::ui {

class ActionRegistry;

/// Every shortcut, by menu, over the window (Shift+F1, and F1 where nothing explains what the person is at). Escape,
/// the same keys or a click put it away, and the keyboard goes back to what had it. Where the window is low
/// the list scrolls; where it is narrow it has one column.
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
    QWidget* makeContent(int columns);

    ActionRegistry* m_registry;
    QScrollArea* m_area;
    QPointer<QWidget> m_before;  // had the keyboard
};

}  // namespace ropelab::ui
