#pragma once

#include <QWidget>
#include <vector>

#include "ui/plot/figure_view.h"
#include "ui/rotary/models/model_figures.h"

class QComboBox;

namespace ropelab::ui {

/// The map of models on screen, with the choice of its height. Hovering a spot names the models there; a click picks
/// one, and each further click on that spot the next.
class ModelScatter : public QWidget {
    Q_OBJECT

 public:
    explicit ModelScatter(QWidget* parent = nullptr);

    /// `picked`: the marked point's place in `points`, or −1.
    void show(std::vector<MapPoint> points, const RotarySetup& present, int picked);

    FigureView* view() const { return m_view; }
    QComboBox* heights() const { return m_height; }
    MapHeight height() const;
    /// Where a setup lies, in the view's pixels.
    QPointF pixelOf(const RotarySetup& setup) const;
    /// Places, in what was shown last, of the models on the spot nearest to a pixel of the view; none where it is
    /// empty.
    QList<int> pointsAt(const QPointF& pixel) const;
    /// What hovering says there; "" where it is empty.
    QString words(const QPointF& pixel) const;

 signals:
    void picked(int point);

 private:
    void renew();
    void pickAt(const QPointF& pixel);
    void tell(const QPointF& pixel);

    QComboBox* m_height;
    FigureView* m_view;
    std::vector<MapPoint> m_points;
    RotarySetup m_present;
    MapDrawing m_map;  // as shown
    int m_picked = -1;
};

}  // namespace ropelab::ui
