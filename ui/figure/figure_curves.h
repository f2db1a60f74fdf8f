#pragma once

#include <QList>
#include <QPointF>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

class QCPGraph;
class QCustomPlot;
class QPen;

namespace ropelab::ui {

/// A figure's curves and bands as graphs of a QCustomPlot, thinned to what can be told apart. The plot's graphs are its
/// own: it makes as many as it needs and hides the others.
class FigureCurves {
 public:
    /// The plot outlives it.
    explicit FigureCurves(QCustomPlot& plot) : m_plot(plot) {}

    /// Replaces what is drawn, on axes of these scales.
    void show(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y);

    /// What is drawn of each curve, in the axes' units.
    const QList<Polyline>& lines() const { return m_lines; }
    /// Distance from a place, in the plot's units right and up from the axes' corner, to a curve; nullopt if it is not
    /// drawn.
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
