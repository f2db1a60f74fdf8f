#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

#include "ui/models/model_entry.h"

namespace ropelab::ui {

/// One row per model. A model with several layer types shows the numbers of the first.
class ModelList : public QAbstractTableModel {
    Q_OBJECT

 public:
    enum Column { Name, Theta, Base, Fraction, Rotated, Context, Parameters, Scaled, Layers, ColumnCount };

    /// The value by which rows are sorted: a number or a text.
    static constexpr int kSortRole = Qt::UserRole;

    explicit ModelList(QObject* parent = nullptr);

    const ModelEntry& entry(int row) const { return m_entries[static_cast<std::size_t>(row)]; }
    /// Becomes the first row and replaces an earlier import of the same file.
    void import(ModelEntry entry);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
    std::vector<ModelEntry> m_entries;
};

/// Filters by words. Imported models stay at the top.
class SortedModels : public QSortFilterProxyModel {
    Q_OBJECT

 public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void search(const QString& words);

 protected:
    bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
    QStringList m_words;
};

}  // namespace ropelab::ui
