#pragma once

#include <QList>
#include <QRectF>
#include <optional>

#include "ui/figure/axis_marks.h"
#include "ui/figure/figure.h"
#include "ui/figure/figure_curves.h"
#include "ui/figure/figure_style.h"

class QCustomPlot;

namespace ropelab::ui {

class FigureAnnotations;
class FigureBackdrop;

/// Puts a figure on a QCustomPlot: the one way in which figures reach screen, paper and clipboard. The plot's size (its
/// viewport) has to be set before. Margins follow from the labels' widths and only grow while the axes stay the same,
/// so that a live plot does not tremble.
class FigureRenderer {
 public:
    /// The plot outlives the renderer and belongs to it: its default axes, graphs and layers.
    explicit FigureRenderer(QCustomPlot& plot);

    /// Replaces what the plot shows; the caller replots.
    void show(const Figure& figure, const FigureStyle& style);

    /// Where curves are drawn, in the plot's units.
    QRectF axesRect() const;
    AxisScale xScale() const { return m_xScale; }
    AxisScale yScale() const { return m_yScale; }
    const AxisMarks& xMarks() const { return m_xMarks; }
    const AxisMarks& yMarks() const { return m_yMarks; }
    /// Boxes of the words inside the axes as they were painted last, in the plot's units.
    const QList<QRectF>& labelBoxes() const;
    /// Distance in the plot's units from a place to a curve of the figure shown last; nullopt if it is not drawn.
    std::optional<double> distanceTo(std::size_t curve, const QPointF& place) const;

 private:
    void setAxes(const Figure& figure, const FigureStyle& style);
    void setMargins(const Figure& figure, const FigureStyle& style);

    QCustomPlot& m_plot;
    FigureCurves m_curves;
    FigureBackdrop* m_backdrop;  // both owned by the plot
    FigureAnnotations* m_annotations;
    AxisScale m_xScale;
    AxisScale m_yScale;
    QString m_axesKey;
    AxisMarks m_xMarks;
    AxisMarks m_yMarks;
    int m_leftMargin = 0;
    int m_noteMargin = 0;
};

}  // namespace ropelab::ui
