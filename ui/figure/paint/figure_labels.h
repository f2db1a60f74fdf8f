#pragma once

#include <QLineF>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/label_places.h"
#include "ui/figure/polyline.h"

namespace ropelab::ui {

/// Labels of straight lines and of single points inside a figure's axes. They overlap neither each other nor a line
/// that has another label. Coordinates are in the plot's units from the upper left corner of the axes.
class FigureLabels {
 public:
    struct Point {
        QString label;
        QPointF at;
        double radius;
        bool isPicked;
        bool isQuiet;
    };
    struct Placed {
        QString text;
        QRectF box;
        QColor ink;
        bool isBold = false;
        std::optional<QLineF> leader = std::nullopt;  // from a point to its distant label
    };

    FigureLabels() = default;
    /// With a row above the axes, labels of vertical lines that find no place among the curves stand there.
    FigureLabels(const FigureStyle& style, const AxisScale& x, const AxisScale& y, bool hasRowAbove = false)
        : m_style(style), m_x(x), m_y(y), m_hasRowAbove(hasRowAbove) {}

    /// Text that labels do not cover.
    void occupy(const QRectF& box) { m_places.occupy(box); }
    /// Labels should not cover a curve. A curve with a radius is a set of points, which are not connected.
    void addCurve(const Polyline& line, std::optional<double> radius);
    void addBar(const QRectF& bar) { m_places.addBar(bar); }
    /// Call it once, after the curves and bars.
    void placeLines(const std::vector<FigureLine>& vertical, const std::vector<FigureLine>& horizontal);
    /// Call it after placeLines; the first points have precedence. A label is so near to its point that it cannot
    /// belong to another one, or a line connects it with its point. A label is omitted if there is no space for it.
    void placePoints(const QList<Point>& points);

    const QList<Placed>& placed() const { return m_placed; }
    /// Labels of lines that have no space inside the axes.
    const QStringList& omitted() const { return m_omitted; }
    /// Stands for the name of a point, which the note has (withNumberedPoints).
    static bool isNumber(const QString& label);
    /// Labels of points that have no space.
    const QStringList& omittedPoints() const { return m_omittedPoints; }
    /// Of the row of labels above the axes, 0 if there is none.
    double heightAbove() const;
    const QList<QRectF>& boxes() const { return m_places.occupied(); }

 private:
    void placeHorizontal(const FigureLine& line, qsizetype own);
    void placeVertical(const FigureLine& line, qsizetype own);
    /// Boxes that cross no line of another label.
    QList<QRectF> besideLines(const QList<QRectF>& boxes, qsizetype own) const;
    /// False if there is no space.
    bool placeBeside(const Point& point);
    /// Farther away, with a line to the point. False if there is no space.
    bool placeWithLeader(const Point& point);
    QFont fontOf(const Point& point) const;
    /// Boxes at these distances from the point that are inside the axes.
    QList<QRectF> boxesAt(const Point& point, const QList<QPointF>& corners, const QSizeF& size) const;
    bool placePoint(const Point& point, const QList<QRectF>& candidates, bool hasLeader);
    bool place(const QList<QRectF>& candidates, const QString& label, const QColor& ink);

    FigureStyle m_style;
    AxisScale m_x;
    AxisScale m_y;
    bool m_hasRowAbove = false;
    LabelPlaces m_places;
    QList<Placed> m_placed;
    QStringList m_omitted;
    QStringList m_omittedPoints;
};

}  // namespace ropelab::ui
