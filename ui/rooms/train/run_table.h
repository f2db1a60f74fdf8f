#pragma once

#include <QAbstractTableModel>
#include <QPixmap>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/plot/quantity.h"
#include "ui/session/run_access.h"
#include "ui/session/run_store.h"

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

    /// With a unit per byte, runs whose bytes per token are unknown show no losses.
    void setLossUnit(const LossUnit& unit);
    bool hasWholeNames() const { return m_hasWholeNames; }
    /// 0 if there is no such row.
    RunId runAt(int row) const;
    /// −1 if the run is not in the table.
    int rowOf(RunId run) const;
    /// Size in pixels of the icon beside a name.
    static QSize swatchSize();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 private:
    QString lossOf(const RunView& run, const std::optional<event::Evaluated>& evaluated) const;

    SessionActions& m_actions;
    RunAccess m_access;
    const RunView* runIn(int row) const;

    std::vector<RunId> m_shown;  // the runs by row
    QStringList m_names;         // the displayed, possibly shortened names, by row
    bool m_hasWholeNames = true;
    LossUnit m_unit;
};

/// The line of the plot, with colour and dash pattern, as an icon of size RunTable::swatchSize().
QPixmap lineSwatch(Ink ink);

}  // namespace ropelab::ui
