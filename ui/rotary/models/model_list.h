#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

#include "ui/rotary/models/model_entry.h"

namespace ropelab::ui {

/// The models as a table, a row each; several layer types of a model are one row, with the numbers of the first.
class ModelList : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Name, Theta, Base, Fraction, Rotated, Context, Scaled, Layers, ColumnCount };

    /// What rows are sorted by: a number, or text.
    static constexpr int sortRole = Qt::UserRole;

    explicit ModelList(QObject* parent = nullptr);

    const ModelEntry& entry(int row) const { return m_entries[static_cast<std::size_t>(row)]; }
    /// Puts an imported model above all others, in place of an earlier one of the same file.
    void import(ModelEntry entry);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
    std::vector<ModelEntry> m_entries;
};

/// The same, sorted by any column and searched by words; imported models stay on top.
class SortedModels : public QSortFilterProxyModel {
    Q_OBJECT

 public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    /// Keeps the models in whose row every one of the words occurs.
    void search(const QString& words);

 protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
    QStringList m_words;
};

}  // namespace ropelab::ui
