#pragma once

#include <QTreeView>

#include "ui/experiment/run_table.h"

namespace ropelab::ui {

/// The list of runs under the plot: picks, hovers, hides; its context menu renames, notes, deletes, continues, stops.
class RunList : public QTreeView {
    Q_OBJECT

 public:
    explicit RunList(Workspace& workspace, QWidget* parent = nullptr);

    RunTable& table() { return *m_table; }
    /// 0 where none is picked.
    RunId picked() const;
    void pick(RunId run);
    void rename(RunId run);
    void annotate(RunId run);
    /// At which every name and note is whole, as far as that is not too much.
    int wishedWidth() const;

 signals:
    void runPicked(ropelab::RunId run);
    /// 0 when the pointer leaves.
    void runHovered(ropelab::RunId run);

 protected:
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QSize sizeHint() const override;

 private:
    void showMenu(const QPoint& where);
    void restyle();
    void fitColumns();

    Workspace& m_workspace;
    RunTable* m_table;
    RunId m_keep = 0;  // picked before a reset
};

}  // namespace ropelab::ui
