#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/paint/figure_labels.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// Labels that would overlap are moved apart; the note names the lines whose label has no space.
class FigureAnnotations : public QCPLayerable {
    Q_OBJECT

 public:
    FigureAnnotations(QCustomPlot* plot, const QString& layer);

    /// `drawn` has the visible part of each curve.
    void set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y,
             const QList<Polyline>& drawn, bool hasRowAbove);

    /// Straight lines are below the curves, whose points they would hide, but in front of bars.
    bool hasLinesBelow() const { return !m_hasBars; }
    void drawLines(QCPPainter* painter) const;

    /// Labels inside the axes, in the plot's units.
    QList<QRectF> labelBoxes() const;
    /// Labels of lines that have no space inside the axes.
    const QStringList& omittedLabels() const { return m_labels.omitted(); }
    /// Labels of points that have no space, except numbers.
    QStringList namesWithoutSpace() const;

    /// Height in the plot's units at which every label at the end of a curve is shown.
    double endLabelsHeight() const;

    /// In the plot's units, at most a fraction of its width. A narrow plot omits the values.
    struct EndMargin {
        double width = 0;
        bool values = true;  // whether end labels contain the values
    };
    static EndMargin endLabelMargin(const Figure& figure, const FigureStyle& style, double plotWidth);

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

 private:
    struct EndLabel {
        QString label;
        QString value;
        QPointF end;  // end of the curve in the plot's units, from the lower left corner of the axes
        QPen pen;
        bool dimmed;
        bool isLine;  // the label belongs to a FigureLine: it has the line's colour and no line sample
        /// A long leader looks like a curve, and one to the end of a curve beyond the axes leads nowhere.
        bool hasLeader = true;
    };
    /// An empty rectangle if there is no empty text.
    static QRectF emptyTextPlace(const QRectF& axes);
    QRectF emptyTextBox(const QRectF& axes) const;
    void drawEmptyText(QCPPainter* painter, const QRectF& axes) const;
    void placeLabels(const Figure& figure, const QList<Polyline>& drawn);
    /// Width of the space for the label.
    double widthOf(const EndLabel& each, const QRectF& axes) const;
    /// Lines of the longest label, if there is space for all lines.
    int linesOfEndLabels(const QRectF& axes) const;
    double endValuesWidth() const;
    /// Smallest distance of two labels, in lines of text.
    double distanceOfEnds() const;
    void drawLabels(QCPPainter* painter, const QRectF& axes) const;
    void drawEndLabels(QCPPainter* painter, const QRectF& axes) const;

    FigureStyle m_style;
    FigureHead m_head;
    QString m_emptyText;
    bool m_showsValues = true;
    std::vector<FigureLine> m_vertical;
    std::vector<FigureLine> m_horizontal;
    bool m_hasBars = false;
    bool m_hasRows = false;  // the y axis has names instead of numbers
    AxisScale m_x;
    AxisScale m_y;
    QList<EndLabel> m_ends;
    FigureLabels m_labels;
};

}  // namespace ropelab::ui
