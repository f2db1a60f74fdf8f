#pragma once

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>

class QMenu;
class QMenuBar;
class QWidget;

namespace ropelab::ui {

/// Description of one action of the window, for ActionRegistry.
struct ActionSpec {
    QString id;    // "run.start"
    QString menu;  // "File", "Edit", "View", "Run", "Lecture" or "Help"; "" for an action without a menu entry
    QString text;  // text of the menu entry
    QList<QKeySequence> shortcuts = {};
    std::function<void()> handler = {};
    /// Returns whether the action is enabled; an empty function means always. It is called when the registry is
    /// refreshed and before the shortcut of the action triggers it.
    std::function<bool()> enabled = {};
    /// Returns whether the action is ticked; an empty function makes an action without a check mark.
    std::function<bool()> checked = {};
    /// Returns the current text if it depends on the state ("Pause", "Resume"); empty if the text is always `text`.
    std::function<QString()> liveText = {};
    bool separatorBefore = false;  // true: the menu has a separator above the action
};

/// Table of all actions of the window, from which the menus, the shortcuts, the command palette and the keyboard sheet
/// are made.
class ActionRegistry : public QObject {
    Q_OBJECT

 public:
    /// Creates an empty registry. Its actions are added to `window`, so their shortcuts work in that window.
    explicit ActionRegistry(QWidget* window);

    /// Adds an action and returns its QAction. The id must not be in use yet.
    QAction* add(const ActionSpec& spec);
    /// Returns the QAction with this id, which must exist.
    QAction* action(const QString& id) const;
    /// Returns the description of the action with this id, which must exist.
    const ActionSpec& spec(const QString& id) const;
    /// Returns the ids of all actions in the order in which they were added.
    const QList<QString>& ids() const { return m_order; }

    /// Adds all menus and their actions to a menu bar, in the order in which the actions were added.
    void fill(QMenuBar* bar);
    /// Returns the menu with this name, or null before fill().
    QMenu* menu(const QString& name) const { return m_menus.value(name); }

    /// Updates the enabled state, the check mark and the text of all actions.
    void refresh();

 signals:
    /// The handler of an action threw an exception; `sentence` is its message.
    void failed(const QString& sentence);

 protected:
    /// Updates an action before its shortcut triggers it. Leaves the space bar to the focused widget if that widget
    /// uses it (a button or a list), and takes Undo and Redo from a text field whose typed text has nothing to undo.
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void update(const QString& id);

    QWidget* m_window;
    QList<QString> m_order;
    QHash<QString, ActionSpec> m_specs;
    QHash<QString, QAction*> m_actions;
    QHash<QString, QMenu*> m_menus;
};

}  // namespace ropelab::ui
