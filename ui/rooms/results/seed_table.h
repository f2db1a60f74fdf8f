#pragma once

#include <QAbstractTableModel>

#include "ui/rooms/results/results_source.h"

namespace ropelab::ui {

class RunStore;

/// All runs of one group, including runs that are excluded from the means, with the reason.
class SeedTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    explicit SeedTable(RunStore& runs, QObject* parent = nullptr);

    /// No runs if the index is out of range. The views' selection is preserved if runs and columns do not change.
    void setGroup(const Results& results, int group);
    RunId runAt(int row) const { return m_rows.at(static_cast<std::size_t>(row)).run; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    struct Row {
        RunId run = 0;
        std::optional<RunSummary> summary;  // only if the run counts
        double until = 0;                   // steps until the target loss; NaN if it was not reached
        bool counts = false;
    };
    static std::vector<Row> rowsOf(const Results& results, int group);
    static constexpr int kSeedColumn = 0;  // the measures follow, the compared one first
    int untilColumn() const;               // −1 without a target loss
    int stateColumn() const;
    int nameColumn() const { return stateColumn() + 1; }
    bool isWord(int column) const { return column >= stateColumn(); }
    QString text(const Row& row, int column) const;

    RunStore& m_runStore;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_measures;
    bool m_hasTarget = false;  // a target loss is set
};

}  // namespace ropelab::ui
