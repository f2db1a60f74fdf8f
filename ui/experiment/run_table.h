#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/experiment/run_store.h"

namespace ropelab::ui {

class Workspace;

/// The runs as a table: colour and name (with a tick for visible), state, newest and best validation loss, note. Name
/// and note can be edited. Long names are listed by what tells them apart; the tooltip has the whole one.
class RunTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Name, State, Last, Best, Note, ColumnCount };

    explicit RunTable(Workspace& workspace, QObject* parent = nullptr);

    /// Losses are shown in nats times this.
    void setLossUnit(const QString& unit, double perNat);
    /// Whether no name is listed by what tells it apart.
    bool hasWholeNames() const { return m_hasWholeNames; }
    RunId runAt(int row) const;
    int rowOf(RunId run) const;
    /// Of a name's icon, which is the run's line.
    static QSize swatchSize();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 private:
    QString lossOf(const std::optional<event::Evaluated>& evaluated) const;

    Workspace& m_workspace;
    std::vector<RunId> m_shown;  // the rows that views know
    QStringList m_names;         // as they are listed, by row
    bool m_hasWholeNames = true;
    QString m_unit;
    double m_perNat = 1;
};

/// A run's state as the table says it: "finished", "412 / 2,000", "stopped at 300".
QString stateText(const RunView& run);

}  // namespace ropelab::ui
