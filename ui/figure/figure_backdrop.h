#pragma once

#include <qcustomplot.h>

#include <QImage>
#include <array>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// What lies under curves and axes: a map's coloured cells with the key to its colours, or a drawing in place of all.
class FigureBackdrop : public QCPLayerable {
    Q_OBJECT

 public:
    FigureBackdrop(QCustomPlot* plot, const QString& layer);

    void set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y);

    /// Room that the key to a map's colours needs right of the axes, in the plot's units; 0 without a map.
    static double roomOfKey(const Figure& figure, const FigureStyle& style);
    /// Where a drawing is painted.
    static QRectF drawingRect(const QRectF& viewport, const FigureStyle& style);

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

 private:
    void drawMap(QCPPainter* painter, const QRectF& axes) const;
    void drawKey(QCPPainter* painter, const QRectF& axes) const;
    QRgb colorOf(double share) const;

    FigureStyle m_style;
    std::optional<FigureMap> m_map;
    Range m_range;
    QImage m_cells;
    FigureDrawing m_drawing;
    AxisScale m_x;
    AxisScale m_y;
};

}  // namespace ropelab::ui
