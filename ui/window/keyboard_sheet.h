#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

class QScrollArea;

namespace ropelab::ui {

class ActionRegistry;

/// Lists all keyboard shortcuts by menu, and the keys of figures and fields. Shift+F1 opens it, and so does F1 if there
/// is no explanation for the current widget. Escape, the same keys or a click close it and restore the keyboard focus.
/// In a low window the list scrolls; in a narrow one it has one column.
class KeyboardSheet : public QFrame {
    Q_OBJECT

 public:
    KeyboardSheet(ActionRegistry* registry, QWidget* window);
    void toggle();

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

 private:
    struct Row {
        QString group;  // name of the menu, or where the key works
        QString text;
        QString keys;
    };
    QList<Row> allRows() const;
    QWidget* makeContent(int columns);

    ActionRegistry* m_registry;
    QScrollArea* m_area;
    QPointer<QWidget> m_before;  // the widget that had the keyboard focus before the sheet was shown
};

}  // namespace ropelab::ui
