#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

class QLineEdit;
class QListWidget;

namespace ropelab::ui {

class ActionRegistry;

/// Command palette (Ctrl+K): finds and triggers an action by a few letters of its name. It is not modal; Escape or a
/// click elsewhere closes it and the previously focused widget gets the keyboard focus back.
class CommandPalette : public QFrame {
    Q_OBJECT

 public:
    CommandPalette(ActionRegistry* registry, QWidget* window);

    /// Shows the palette at the top of the window with an empty search field.
    void open();
    /// Returns the ids of the enabled actions that match `typed`, best match first. Actions with a word that begins
    /// with `typed` come before actions that contain its letters in this order.
    QList<QString> matches(const QString& typed) const;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void renew();
    void trigger();
    void close();

    ActionRegistry* m_registry;
    QPointer<QWidget> m_before;  // the widget that had the keyboard focus before open()
    QLineEdit* m_search;
    QListWidget* m_list;
};

}  // namespace ropelab::ui
