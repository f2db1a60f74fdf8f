#pragma once

#include <QList>
#include <QRectF>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/axis_marks.h"
#include "ui/figure/paint/figure_curves.h"

class QCustomPlot;

namespace ropelab::ui {

class FigureAnnotations;
class FigureBackdrop;

/// Renders a figure with a QCustomPlot. Set the plot's size (its viewport) first. Margins are computed from the labels'
/// widths and only grow while the axes stay the same, so that the axes of a live plot do not jitter.
class FigureRenderer {
 public:
    /// The plot must outlive the renderer, which manages its default axes, graphs and layers.
    explicit FigureRenderer(QCustomPlot& plot);

    /// The caller replots.
    void show(const Figure& figure, const FigureStyle& style);

    /// In the plot's units.
    QRectF axesRect() const;
    AxisScale xScale() const { return m_xScale; }
    AxisScale yScale() const { return m_yScale; }
    const AxisMarks& xMarks() const { return m_xMarks; }
    /// Blank height below square axes that are narrower than the plot is high.
    int blankHeight() const { return m_blankHeight; }
    /// At which every label at the end of a curve is shown.
    double endLabelsHeight() const;
    /// Labels inside the axes at the last painting, in the plot's units.
    QList<QRectF> labelBoxes() const;
    /// Lines whose label has no space inside the axes: the note names them on screen, the legend on paper.
    const QStringList& labelsInNote() const { return m_labelsInNote; }
    /// In the plot's units; nullopt if the curve is not drawn.
    std::optional<double> distanceTo(std::size_t curve, const QPointF& place) const;

 private:
    void layOut(const Figure& figure, const FigureStyle& style);
    void setAxes(const Figure& figure, const FigureStyle& style);
    void setMargins(const Figure& figure, const FigureStyle& style);

    QCustomPlot& m_plot;
    FigureCurves m_curves;
    FigureBackdrop* m_backdrop;  // both owned by the plot
    FigureAnnotations* m_annotations;
    AxisScale m_xScale;
    AxisScale m_yScale;
    QString m_axesKey;
    QStringList m_labelsInNote;
    AxisMarks m_xMarks;
    AxisMarks m_yMarks;
    int m_leftMargin = 0;
    int m_rightMargin = 0;
    int m_noteMargin = 0;
    int m_blankHeight = 0;
    bool m_hasRowAbove = false;  // of labels, between the head and the axes
};

}  // namespace ropelab::ui
