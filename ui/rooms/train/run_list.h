#pragma once

#include <QTreeView>

class QMenu;

#include "ui/rooms/train/run_table.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

class SessionActions;

/// The user can pick, highlight and hide runs. The context menu inspects a run, compares it with another one, takes its
/// settings, converts its heads, recolours, pins and renames its setting, and renames, annotates, deletes, resumes and
/// stops the run.
class RunList : public QTreeView {
    Q_OBJECT

 public:
    RunList(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    RunTable& table() { return *m_table; }
    /// 0 if no run is selected.
    RunId picked() const;
    /// Clears the selection if the run is not in the list.
    void pick(RunId run);
    void rename(RunId run);
    void renameSetting(RunId run);
    void annotate(RunId run);
    void convertHeads(RunId run);

 signals:
    void runPicked(ropelab::RunId run);
    /// 0: the mouse pointer has left the list.
    void runHovered(ropelab::RunId run);
    /// The user asked to put the settings of this run into the sweep panel.
    void settingsAsked(ropelab::RunId run);

 protected:
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QSize sizeHint() const override;

 private:
    void showMenu(const QPoint& where);
    void addComparisons(QMenu* menu, RunId run);
    void addLook(QMenu* menu, const RunView& run);
    void restyle();
    void fitStates();
    void fitColumns();

    SessionActions& m_actions;
    RunAccess m_access;
    RunTable* m_table;
    RunId m_keep = 0;  // the picked run, restored after a reset of the model
};

}  // namespace ropelab::ui
