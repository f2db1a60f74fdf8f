#pragma once

#include <QList>
#include <QPointF>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

class QCPGraph;
class QColor;
class QCustomPlot;
class QPen;

namespace ropelab::ui {

/// Dots of very many curves on screen would hide the lines, and painting them takes as long as the lines.
bool paintsDots(const Figure& figure, bool onScreen);

/// At which an area of this colour has a contrast of 1.5:1 on the paper.
double opacityOfBand(const QColor& color, const QColor& paper);

/// Half the width of the bars of a curve, in the unit of x.
double halfBarOf(const FigureCurve& curve);

/// Thins curves to the device's resolution. Manages all graphs of the plot: adds as many as it needs, hides the others.
class FigureCurves {
 public:
    /// The plot must outlive this object.
    explicit FigureCurves(QCustomPlot& plot) : m_plot(plot) {}

    void show(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y);

    /// In the axes' units.
    const QList<Polyline>& lines() const { return m_lines; }
    /// Nullopt if the curve is not drawn. Units are the plot's, from the lower left corner of the axes.
    std::optional<double> distanceTo(std::size_t curve, const QPointF& at) const;

 private:
    void drawBands(const Figure& figure, const FigureStyle& style);
    void drawCurves(const Figure& figure, const FigureStyle& style);
    QCPGraph* nextGraph();
    void setLine(QCPGraph* graph, const Polyline& line, const QPen& pen, const FigureStyle& style) const;
    void setPoints(const FigureCurve& curve, const FigureStyle& style);
    void setBars(const FigureCurve& curve, const FigureStyle& style);
    void setDots(const FigureCurve& curve, const QPen& pen, const FigureStyle& style);

    QCustomPlot& m_plot;
    int m_usedGraphs = 0;
    AxisScale m_xScale;
    AxisScale m_yScale;
    QList<Polyline> m_lines;
};

}  // namespace ropelab::ui
