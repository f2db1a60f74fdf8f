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

/// A scatter plot of named spots on two logarithmic axes. A name is drawn beside its spot if there is space for it.
struct MapDrawing {
    /// A place on the map with the names of its models.
    struct Spot {
        QPointF at;         // in the axes' units
        QStringList names;  // of all models at this place
        bool isPicked = false;
    };
    QString xTitle;
    QString yTitle;
    QString emptyText;  // shown if there are no spots
    std::vector<Spot> spots;
    /// The current setup, drawn as a crosshair over the whole map.
    std::optional<QPointF> current;

    /// Ranges of the axes: all spots and the current setup, with a margin.
    Range xRange() const;
    Range yRange() const;
};

/// Layout of a map in a rectangle, in the painter's units.
struct MapLayout {
    QRectF axes;
    AxisScale x;
    AxisScale y;

    MapLayout(const MapDrawing& map, const QRectF& rect, const FigureStyle& style);
    /// Returns the place of a value in the painter's units.
    QPointF pixelOf(const QPointF& value) const;
};

/// Paints a map into a rectangle.
void paintMap(const MapDrawing& map, QPainter& painter, const QRectF& rect, const FigureStyle& style);

}  // namespace ropelab::ui
