#pragma once

#include <QAbstractTableModel>
#include <QPixmap>
#include <QString>
#include <QStringList>
#include <QTreeView>
#include <functional>
#include <map>
#include <vector>

#include "ui/common/latest_job.h"
#include "ui/plot/quantity.h"
#include "ui/session/run_access.h"

class QMenu;

namespace ropelab::ui {

class SessionActions;

/// Colour and name (with a check box for visibility), state, current and lowest validation loss, and note of the runs.
/// Runs of pinned settings come first. Names and notes are editable. Long names are shortened to the parts in which
/// they differ; the tooltip shows the full name.
class RunTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Name, State, Last, Best, Note, ColumnCount };

    RunTable(SessionActions& actions, RunAccess access, QObject* parent = nullptr);

    /// Instead of the current losses; a title of "" shows these again.
    void showValues(const QString& title, const std::function<double(RunId)>& value);
    /// With a unit per byte, runs whose bytes per token are unknown show no losses.
    void setLossUnit(const LossUnit& unit);
    bool hasWholeNames() const { return m_hasWholeNames; }
    /// 0 if there is no such row.
    RunId runAt(int row) const {
        return row >= 0 && row < std::ssize(m_shown) ? m_shown[static_cast<std::size_t>(row)] : 0;
    }
    /// −1 if the run is not in the table.
    int rowOf(RunId run) const;
    /// Size in pixels of the icon beside a name.
    static QSize swatchSize();

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 private:
    /// "loss at step 75" if the shown runs were last evaluated at one step.
    QString currentTitle() const;
    QString lossOf(const RunView& run, const std::optional<event::Evaluated>& evaluated) const;

    SessionActions& m_actions;
    RunAccess m_access;
    const RunView* runIn(int row) const { return m_access.runs.find(runAt(row)); }

    std::vector<RunId> m_shown;  // the runs by row
    QStringList m_names;         // the displayed, possibly shortened names, by row
    bool m_hasWholeNames = true;
    LossUnit m_unit;
    QString m_valuesTitle;
    std::map<RunId, double> m_values;
};

/// The line of the plot, with colour and dash pattern, as an icon of size RunTable::swatchSize().
QPixmap lineSwatch(Ink ink);

/// The user can pick, highlight and hide runs. The context menu inspects a run, compares it with another one, takes its
/// settings, converts its heads, exports its model, recolours, pins and renames its setting, and renames, annotates,
/// deletes, resumes and stops the run.
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
    /// Asks for a folder for transformers, or a GGUF file, and writes it in the background.
    void exportModel(RunId run);
    bool isExporting() const { return m_export.isRunning(); }

 signals:
    /// A model was written; the sentence says where.
    void exported(const QString& sentence);
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
    LatestJob m_export;
};

}  // namespace ropelab::ui
