#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/model_figures.h"
#include "ui/plot/figure_view.h"

class QComboBox;

namespace ropelab::ui {

/// Map of the models with a field that selects the quantity of its vertical axis. Hovering a spot shows its models; a
/// click selects the first of them, and each further click on that spot the next one.
class ModelScatter : public QWidget {
    Q_OBJECT

 public:
    explicit ModelScatter(QWidget* parent = nullptr);

    /// Shows the models. `picked` is the index of the selected point, or −1.
    void show(std::vector<MapPoint> points, const RotarySetup& current, int picked);

    FigureView* view() const { return m_view; }
    QComboBox* quantityField() const { return m_quantity; }
    MapQuantity quantity() const;
    /// Returns the place of a setup in pixels of the view.
    QPointF pixelOf(const RotarySetup& setup) const;
    /// Returns the indices of the models at the spot that is nearest to a pixel of the view; none if no spot is near.
    QList<int> pointsAt(const QPointF& pixel) const;
    /// Returns the tooltip at a pixel of the view, or "" if no spot is near.
    QString tooltipText(const QPointF& pixel) const;

 signals:
    /// Emitted when the user clicks a model; `point` is its index in the shown points.
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
