#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/model_figures.h"
#include "ui/plot/figure_view.h"

class QComboBox;

namespace ropelab::ui {

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
