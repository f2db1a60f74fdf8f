#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QWidget>
#include <vector>

#include "ui/models/model_entry.h"
#include "ui/models/model_figures.h"
#include "ui/plot/figure_view.h"

class QComboBox;

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

/// Hovering a spot shows its models; a click selects the first, each further click on that spot the next one.
class ModelScatter : public QWidget {
    Q_OBJECT

 public:
    explicit ModelScatter(QWidget* parent = nullptr);

    /// `picked` is an index, or −1.
    void show(std::vector<MapPoint> points, const RotarySetup& current, int picked);

    FigureView* view() const { return m_view; }
    QComboBox* quantityField() const { return m_quantity; }
    MapQuantity quantity() const;
    /// In pixels of the view.
    QPointF pixelOf(const RotarySetup& setup) const;
    /// Indices of the models at the spot nearest to a pixel of the view; none if no spot is near.
    QList<int> pointsAt(const QPointF& pixel) const;
    /// "" if no spot is near.
    QString tooltipText(const QPointF& pixel) const;

 signals:
    /// `point` is an index in the shown points.
    void picked(int point);

 private:
    void renew();
    void pickAt(const QPointF& pixel);
    void showTooltip(const QPointF& pixel);

    QComboBox* m_quantity;
    FigureView* m_view;
    std::vector<MapPoint> m_points;
    RotarySetup m_current;
    int m_picked = -1;
};

}  // namespace ropelab::ui
