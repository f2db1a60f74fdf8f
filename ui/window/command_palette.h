#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

class QLineEdit;
class QListWidget;

namespace ropelab::ui {

class ActionRegistry;

/// Finds any action by typing a few of its letters (Ctrl+K). Not modal: Escape or a click elsewhere puts it away. The
/// keyboard goes back to where it was.
class CommandPalette : public QFrame {
    Q_OBJECT

 public:
    CommandPalette(ActionRegistry* registry, QWidget* window);

    /// Shows it at the top of the window with an empty search.
    void open();
    /// Ids of the enabled actions that match, best first: words that begin with the letters before letters in order.
    QList<QString> matches(const QString& typed) const;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void renew();
    void trigger();
    void close();

    ActionRegistry* m_registry;
    QPointer<QWidget> m_before;  // had the keyboard
    QLineEdit* m_search;
    QListWidget* m_list;
};

}  // namespace ropelab::ui
