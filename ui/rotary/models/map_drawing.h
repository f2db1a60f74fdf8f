#pragma once

#include <QPointF>
#include <QRectF>
#include <QStringList>
#include <optional>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"

class QPainter;

namespace ropelab::ui {

/// A map of named spots on two logarithmic axes. Names stand beside their spots wherever there is room for them.
struct MapDrawing {
    struct Spot {
        QPointF at;  // in the axes' units
        QStringList names;
        bool isPicked = false;
    };
    QString xTitle;
    QString yTitle;
    QString emptyText;  // while there are no spots
    std::vector<Spot> spots;
    /// Drawn as a crosshair over the whole map.
    std::optional<QPointF> present;

    /// The axes' ends: all spots with a margin about them.
    Range xRange() const;
    Range yRange() const;
};

/// Where a map lies that is drawn into a rectangle of the painter's units.
struct MapLayout {
    QRectF axes;
    AxisScale x;
    AxisScale y;

    MapLayout(const MapDrawing& map, const QRectF& rect, const FigureStyle& style);
    QPointF pixelOf(const QPointF& value) const;
};

void paintMap(const MapDrawing& map, QPainter& painter, const QRectF& rect, const FigureStyle& style);

}  // namespace ropelab::ui
