#pragma once

#include <QAbstractTableModel>

#include "ui/results/results_source.h"

namespace ropelab::ui {

class Workspace;

/// Every run behind one group, those that do not count too, with the reason.
class SeedTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    explicit SeedTable(Workspace& workspace, QObject* parent = nullptr);

    /// The runs of a group of the results; none where `group` is not one of its groups. Views keep what is selected as
    /// long as the runs and the columns stay.
    void setGroup(const Results& results, int group);
    RunId runAt(int row) const { return m_rows.at(static_cast<std::size_t>(row)).run; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    struct Row {
        RunId run = 0;
        std::optional<RunSummary> summary;  // of a run that counts
        double until = 0;
        bool counts = false;
    };
    static std::vector<Row> rowsOf(const Results& results, int group);
    static constexpr int seedColumn = 0;  // then the measures, the compared one first
    int untilColumn() const;              // −1 without a target loss
    int stateColumn() const;
    int nameColumn() const { return stateColumn() + 1; }
    bool isWord(int column) const { return column >= stateColumn(); }
    QString text(const Row& row, int column) const;

    Workspace& m_workspace;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_measures;
    bool m_until = false;
};

}  // namespace ropelab::ui
