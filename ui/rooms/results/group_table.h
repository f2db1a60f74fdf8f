#pragma once

#include <QSortFilterProxyModel>
#include <functional>

#include "ui/controls/text_table.h"
#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

class RunStore;

/// Columns (TableStyle::columns) of the preset `short` or `paper`; the settings are one.
QStringList presetColumns(const ResultsTable& table, const std::string& preset);

/// The first columns are the settings that distinguish the groups, the compared measure and its verdict; then follow
/// all other measures, then settings that determine or are determined by one of the first. Headers show units, tooltips
/// explain how each number is computed.
class GroupTable : public TextTable {
    Q_OBJECT

 public:
    /// The value by which rows are sorted: a double (NaN if it is missing) or a text.
    static constexpr int kSortRole = Qt::UserRole;

    using TextTable::TextTable;

    /// Names and titles of all columns; the columns of settings are one entry.
    QList<QPair<QString, QString>> choices() const;
    /// `columns` as in TableStyle::columns; those that this table does not have are left out. Preserves the selection
    /// if the columns and the number of rows do not change.
    void setResults(std::shared_ptr<const Results> results, const std::vector<std::string>& columns);
    const Results& results() const { return *m_results; }
    /// −1 if no column has this title.
    int columnOf(const QString& title) const;
    /// "" for an index out of range.
    QString titleOf(int column) const;

    /// As in TableStyle::columns; "" for an index out of range.
    QString nameOf(int column) const;

    QVariant data(const QModelIndex& index, int role) const override;

 protected:
    Cell cellAt(std::size_t row, std::size_t column) const override;

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
    std::vector<Column> columns(const std::vector<std::string>& chosen) const;
    void addComparison(std::vector<Column>& columns) const;
    void addTests(std::vector<Column>& columns) const;
    Column printedColumn(const std::string& name, const QString& title, const QString& unit, const QString& why,
                         std::function<QString(Group)> tip = {}) const;
    Column keyColumn(const std::string& key, const QString& why) const;
    Column measureColumn(std::size_t measure) const;

    std::shared_ptr<const Results> m_results = std::make_shared<Results>();
    std::vector<ResultsColumn> m_printed;  // of m_results
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

/// All runs of one group, including runs that are excluded from the means, with the reason; the compared measure and
/// the measures among `columns` (TableStyle::columns). No runs if the index is out of range.
TextTable::Content seedTable(const Results& results, int group, const QStringList& columns, const RunStore& store);

}  // namespace ropelab::ui
