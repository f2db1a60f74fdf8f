#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// What a figure has besides curves and axes: titles, lines with words, and the curves' labels at their right ends,
/// moved apart where they would overlap.
class FigureAnnotations : public QCPLayerable {
    Q_OBJECT

 public:
    FigureAnnotations(QCustomPlot* plot, const QString& layer);

    void set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y);

    /// Room that the end labels need right of the axes, in the plot's units; at most a share of the plot's width. In a
    /// narrow plot the values go first.
    struct EndRoom {
        double width = 0;
        bool values = true;
    };
    static EndRoom roomOfEndLabels(const Figure& figure, const FigureStyle& style, double plotWidth);

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

 private:
    struct EndLabel {
        QString label;
        QString value;
        QPointF end;  // in the plot's units, from the axes' lower left
        QPen pen;
        bool dimmed;
    };
    void drawTitles(QCPPainter* painter, const QRectF& axes) const;
    void drawLines(QCPPainter* painter, const QRectF& axes) const;
    void drawEndLabels(QCPPainter* painter, const QRectF& axes) const;

    FigureStyle m_style;
    QString m_yTitle;
    QString m_note;
    QString m_emptyText;
    bool m_showsValues = true;
    std::vector<FigureLine> m_vertical;
    std::vector<FigureLine> m_horizontal;
    AxisScale m_x;
    AxisScale m_y;
    QList<EndLabel> m_ends;
};

}  // namespace ropelab::ui
