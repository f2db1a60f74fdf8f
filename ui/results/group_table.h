#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <functional>

#include "ui/results/results_source.h"

namespace ropelab::ui {

/// The groups of the results as a table: the keys that tell them apart, the compared measure and its verdict first,
/// then everything else that was measured, last the keys that go with one of the first. Units stand in the headers,
/// tooltips say how a number is made.
class GroupTable : public QAbstractTableModel {
    Q_OBJECT

 public:
    /// For the sort: a double (NaN where it is missing) or a text.
    static constexpr int SortRole = Qt::UserRole;

    explicit GroupTable(QObject* parent = nullptr);

    /// Rows and columns that stay keep their selection.
    void setResults(const Results& results);
    const Results& results() const { return m_results; }
    /// −1 where there is none of that title.
    int columnOf(const QString& title) const;
    /// "" outside.
    QString titleOf(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
    using Group = const ResultGroup&;
    struct Column {
        QString title;
        QString unit;
        QString why;
        std::function<QString(Group)> text;
        std::function<QVariant(Group)> key;
        std::function<QString(Group)> tip = {};
        bool isWord = false;
    };
    std::vector<Column> columns() const;
    void addComparison(std::vector<Column>& columns) const;
    void addTests(std::vector<Column>& columns) const;
    Column keyColumn(const std::string& key, const QString& why) const;
    Column measureColumn(std::size_t measure) const;

    Results m_results;
    std::vector<Column> m_columns;
};

/// Sorts as the numbers go; what is missing comes last either way.
class GroupOrder : public QSortFilterProxyModel {
    Q_OBJECT

 public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

/// A disc in a run's colour, for tables.
QPixmap colorDisc(int colorIndex);

}  // namespace ropelab::ui
