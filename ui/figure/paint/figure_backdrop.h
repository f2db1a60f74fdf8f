#pragma once

#include <qcustomplot.h>

#include <QImage>
#include <array>
#include <optional>
#include <utility>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// The coloured cells of a map with its colour bar, or the drawing that replaces the plot.
class FigureBackdrop : public QCPLayerable {
    Q_OBJECT

 public:
    FigureBackdrop(QCustomPlot* plot, const QString& layer);

    void set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y);

    /// With its labels, in the plot's units; 0 without a map.
    static double colorBarWidth(const Figure& figure, const FigureStyle& style);
    static QRectF drawingRect(const QRectF& viewport, const FigureStyle& style);

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

 private:
    void drawMap(QCPPainter* painter, const QRectF& axes) const;
    void drawColorBar(QCPPainter* painter, const QRectF& axes) const;
    QRgb colorOf(double fraction) const;

    FigureStyle m_style;
    std::optional<FigureMap> m_map;
    Range m_range;
    bool m_hasBlank = false;  // grey parts without cells, which the legend names
    QImage m_cells;
    std::array<QRgb, 256> m_colors;  // of the scale on the paper
    std::optional<std::pair<FigureMap::Scale, QRgb>> m_colorsOf;
    FigureDrawing m_drawing;
    AxisScale m_x;
    AxisScale m_y;
};

}  // namespace ropelab::ui
