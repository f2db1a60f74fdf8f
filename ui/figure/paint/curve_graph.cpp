#include "ui/figure/paint/curve_graph.h"

#include <cmath>

namespace ropelab::ui {

void CurveGraph::drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const {
    if (painter->modes().testFlag(QCPPainter::pmVectorized) || pen().style() == Qt::NoPen) {
        QCPGraph::drawLinePlot(painter, lines);
        return;
    }
    applyDefaultAntialiasingHint(painter);
    QPen fast = pen();
    if (fast.capStyle() == Qt::RoundCap) {
        fast.setCapStyle(Qt::SquareCap);  // the raster engine paints round caps slowly
    }
    painter->setPen(fast);
    painter->setBrush(Qt::NoBrush);
    // One call per piece, so that the dash pattern continues from line to line.
    QVector<QLineF> piece;
    for (qsizetype i = 1; i <= lines.size(); ++i) {
        if (i < lines.size() && !std::isnan(lines[i].y()) && !std::isnan(lines[i - 1].y())) {
            piece.append(QLineF(lines[i - 1], lines[i]));
        } else if (!piece.isEmpty()) {
            painter->drawLines(piece);
            piece.clear();
        }
    }
}

}  // namespace ropelab::ui
