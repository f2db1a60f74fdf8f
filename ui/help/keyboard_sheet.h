#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

class QScrollArea;

namespace ropelab::ui {

class ActionRegistry;

/// Shortcuts by menu, and keys of figures and fields. Shift+F1 opens it; Escape, F1, Shift+F1 or
/// a click close it. It scrolls in a low window and has one column in a narrow one.
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
