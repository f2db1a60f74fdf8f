#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <functional>

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

class RunStore;

/// Columns (TableStyle::columns) of the preset `short` or `paper`; the settings are one.
QStringList presetColumns(const ResultsTable& table, const std::string& preset);

/// The first columns are the settings that distinguish the groups, the compared measure and its verdict; then follow
/// all other measures, then settings that determine or are determined by one of the first. Headers show units, tooltips
/// explain how each number is computed.
class GroupTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    /// The value by which rows are sorted: a double (NaN if it is missing) or a text.
    static constexpr int kSortRole = Qt::UserRole;

    explicit GroupTable(QObject* parent = nullptr);

    /// As in TableStyle::columns; columns that this table does not have are left out.
    void chooseColumns(const std::vector<std::string>& columns);
    /// Names and titles of all columns; the columns of settings are one entry.
    QList<QPair<QString, QString>> choices() const;
    /// Preserves the selection if the columns and the number of rows do not change.
    void setResults(const Results& results) { renewColumns(results); }
    const Results& results() const { return m_results; }
    /// −1 if no column has this title.
    int columnOf(const QString& title) const;
    /// "" for an index out of range.
    QString titleOf(int column) const;

    /// As in TableStyle::columns; "" for an index out of range.
    QString nameOf(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_results.table.groups.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    using Group = const ResultGroup&;
    struct Column {
        std::string name;  // in TableStyle::columns; "settings" for each setting
        QString title;
        QString unit;
        QString why;
        std::function<QString(Group)> text;
        std::function<QVariant(Group)> key;
        std::function<QString(Group)> tip = {};
        bool isWord = false;
    };
    std::vector<Column> allColumns() const;
    std::vector<Column> columns() const;
    void renewColumns(const Results& results);
    void addComparison(std::vector<Column>& columns) const;
    void addTests(std::vector<Column>& columns) const;
    Column printedColumn(const std::string& name, const QString& title, const QString& unit, const QString& why,
                         std::function<QString(Group)> tip = {}) const;
    Column keyColumn(const std::string& key, const QString& why) const;
    Column measureColumn(std::size_t measure) const;

    Results m_results;
    std::vector<std::string> m_choice;
    std::vector<Column> m_columns;
};

/// Missing values come last in both directions.
class GroupOrder : public QSortFilterProxyModel {
    Q_OBJECT

 public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

QPixmap colorDisc(Ink ink);

/// All runs of one group, including runs that are excluded from the means, with the reason.
class SeedTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    explicit SeedTable(RunStore& runs, QObject* parent = nullptr);

    /// The compared measure and the measures among `columns` (TableStyle::columns). No runs if the index is out of
    /// range. The views' selection is preserved if runs and columns do not change.
    void setGroup(const Results& results, int group, const QStringList& columns);
    RunId runAt(int row) const { return m_rows.at(static_cast<std::size_t>(row)).run; }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : nameColumn() + 1; }
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
    int stateColumn() const { return 1 + static_cast<int>(m_measures.size()) + (m_hasTarget ? 1 : 0); }
    int nameColumn() const { return stateColumn() + 1; }
    bool isWord(int column) const { return column >= stateColumn(); }
    QString text(const Row& row, int column) const;

    RunStore& m_runStore;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_measures;
    bool m_hasTarget = false;  // a target loss is set
};

}  // namespace ropelab::ui
