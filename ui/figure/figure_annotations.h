#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>

#include "ui/figure/figure.h"
#include "ui/figure/figure_head.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/label_places.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// What a figure has besides curves and axes: titles and the note, lines and points with words, and the labels right of
/// the axes. Words are moved apart where they would overlap, or left out.
class FigureAnnotations : public QCPLayerable {
    Q_OBJECT

 public:
    FigureAnnotations(QCustomPlot* plot, const QString& layer);

    /// `drawn` is what is painted of each curve.
    void set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y,
             const QList<Polyline>& drawn);

    /// Boxes of the words inside the axes as they were painted last, in the plot's units.
    const QList<QRectF>& labelBoxes() const { return m_places.taken(); }

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
        bool isLine;  // of a FigureLine, in its colour and without a sample of it
    };
    struct PointLabel {
        QString label;
        QPointF at;  // in the plot's units, from the axes' lower left
        double radius;
    };
    void drawEmptyText(QCPPainter* painter, const QRectF& axes);
    void addStrokes(const QRectF& axes);
    void drawLines(QCPPainter* painter, const QRectF& axes);
    void drawPointLabels(QCPPainter* painter, const QRectF& axes);
    void writeLabel(QCPPainter* painter, const QList<QRectF>& wishes, const QString& words, const QColor& ink,
                    bool sparesPoints = false);
    void drawEndLabels(QCPPainter* painter, const QRectF& axes) const;

    FigureStyle m_style;
    FigureHead m_head;
    QString m_emptyText;
    bool m_showsValues = true;
    std::vector<FigureLine> m_vertical;
    std::vector<FigureLine> m_horizontal;
    AxisScale m_x;
    AxisScale m_y;
    QList<EndLabel> m_ends;
    QList<PointLabel> m_points;
    QList<Polyline> m_drawn;
    QList<bool> m_isConnected;  // of each of m_drawn
    LabelPlaces m_places;
};

}  // namespace ropelab::ui
