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

/// One thing that the window can do.
struct ActionSpec {
    QString id;    // "run.start"
    QString menu;  // "File", "Edit", "View", "Run" or "Help"; "" for the palette and the keyboard only
    QString text;  // as menus show it
    QList<QKeySequence> shortcuts = {};
    std::function<void()> handler = {};
    /// Asked whenever the registry is refreshed, and before its shortcut; empty: always.
    std::function<bool()> enabled = {};
    /// Not empty: the action shows a tick, and this says whether it is set.
    std::function<bool()> checked = {};
    /// The text at this moment, where it changes ("Pause", "Resume").
    std::function<QString()> liveText = {};
    bool separatorBefore = false;
};

/// Every action of the window, in one table: menus, shortcuts, the command palette and the keyboard sheet come from it.
class ActionRegistry : public QObject {
    Q_OBJECT

 public:
    /// Actions are added to `window`, so that their shortcuts work in it.
    explicit ActionRegistry(QWidget* window);

    /// Ids are unique.
    QAction* add(const ActionSpec& spec);
    QAction* action(const QString& id) const;
    const ActionSpec& spec(const QString& id) const;
    /// In the order in which they were added.
    const QList<QString>& ids() const { return m_order; }

    /// Fills a menu bar; menus stand in the order of their first action.
    void fill(QMenuBar* bar);
    /// The menu of that name; made by fill().
    QMenu* menu(const QString& name) const { return m_menus.value(name); }

    /// Asks every action again whether it is enabled, ticked, and what it is called.
    void refresh();

 signals:
    /// A handler threw; one sentence.
    void failed(const QString& sentence);

 protected:
    /// Asks an action before its shortcut, and leaves the space bar to the widget that has the keyboard where it needs
    /// them (a button, a list).
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void ask(const QString& id);

    QWidget* m_window;
    QList<QString> m_order;
    QHash<QString, ActionSpec> m_specs;
    QHash<QString, QAction*> m_actions;
    QHash<QString, QMenu*> m_menus;
};

}  // namespace ropelab::ui
