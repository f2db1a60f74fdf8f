#pragma once

#include <qcustomplot.h>

namespace ropelab::ui {

/// Paints noisy lines fast. Qt's raster engine strokes a polyline as one path, which takes seconds for a few thousand
/// steep segments; as separate lines they take milliseconds. Vector devices get the polyline.
class CurveGraph : public QCPGraph {
    Q_OBJECT

 public:
    CurveGraph(QCPAxis* keyAxis, QCPAxis* valueAxis) : QCPGraph(keyAxis, valueAxis) {}

 protected:
    void drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const override;
};

}  // namespace ropelab::ui
