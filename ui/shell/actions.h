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

struct ActionSpec {
    QString id;    // "run.start"
    QString menu;  // "File", "Edit", "View", "Run", "Lecture" or "Help"; "" for an action without a menu entry
    QString text;  // text of the menu entry
    QList<QKeySequence> shortcuts = {};
    std::function<void()> handler = {};
    /// Empty: always enabled. Called when the registry is refreshed and before the shortcut of the action triggers it.
    std::function<bool()> enabled = {};
    /// Empty: the action has no check mark.
    std::function<bool()> checked = {};
    /// Text that depends on the state ("Pause", "Resume"); empty if the text is always `text`.
    std::function<QString()> liveText = {};
    bool separatorBefore = false;  // true: the menu has a separator above the action
};

/// All actions of the window; the menus, the shortcuts, the command palette and the keyboard sheet are made from it.
class ActionRegistry : public QObject {
    Q_OBJECT

 public:
    /// The actions are added to `window`, so their shortcuts work in that window.
    explicit ActionRegistry(QWidget* window);

    /// The id must not be in use yet.
    QAction* add(const ActionSpec& spec);
    /// The id must exist.
    QAction* action(const QString& id) const;
    const ActionSpec& spec(const QString& id) const;
    /// Opens the room, so that the change is visible, and then calls `change`.
    std::function<void()> inRoom(const QString& room, std::function<void()> change) const;
    /// In the order in which they were added.
    const QList<QString>& ids() const { return m_order; }

    void fill(QMenuBar* bar);
    /// Null before fill().
    QMenu* menu(const QString& name) const { return m_menus.value(name); }

    void refresh();

 signals:
    void failed(const QString& sentence);

 protected:
    /// Leaves the space bar to the focused widget if that widget uses it (a button or a list), and takes Undo and Redo
    /// from a text field whose typed text has nothing to undo.
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
