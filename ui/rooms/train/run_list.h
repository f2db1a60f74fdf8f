#pragma once

#include <QTreeView>

class QMenu;

#include "ui/rooms/train/run_table.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

class SessionActions;

/// List of runs below the plot. The user can pick, highlight and hide runs. The context menu inspects a run, compares
/// it with another one, takes its settings, converts its heads, recolours, pins and renames its setting, and renames,
/// annotates, deletes, resumes and stops the run.
class RunList : public QTreeView {
    Q_OBJECT

 public:
    RunList(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    RunTable& table() { return *m_table; }
    /// Returns the run that is picked (selected), or 0 if none is.
    RunId picked() const;
    /// Picks (selects) a run; clears the selection if the run is not in the list.
    void pick(RunId run);
    /// Opens the text field for the name of a run.
    void rename(RunId run);
    /// Opens the dialog for the name of a run's setting.
    void renameSetting(RunId run);
    /// Opens the text field for the note of a run.
    void annotate(RunId run);
    /// Opens the dialog that converts a copy of a run to fewer key and value heads.
    void convertHeads(RunId run);

 signals:
    /// The user or the program picked this run.
    void runPicked(ropelab::RunId run);
    /// The mouse pointer is over `run`; 0 when it leaves the list.
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
    /// Makes the column of the states as wide as the longest state of the sweeps in the lab.
    void fitStates();
    void fitColumns();

    SessionActions& m_actions;
    RunAccess m_access;
    RunTable* m_table;
    RunId m_keep = 0;  // the picked run, restored after a reset of the model
};

}  // namespace ropelab::ui
