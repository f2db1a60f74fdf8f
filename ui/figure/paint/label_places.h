#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QStringList>
#include <optional>

namespace ropelab::ui {

class TextMetrics;

/// Boxes do not overlap; the free box that covers the fewest lines is used. Coordinates are in the plot's units.
class LabelPlaces {
 public:
    /// Segment of a curve or line, which labels should not cover.
    void addStroke(const QPointF& from, const QPointF& to);
    /// Line with a label, which other labels should not cross (crossesBarrier). Returns its number.
    qsizetype addBarrier(const QPointF& from, const QPointF& to);
    /// `own` is the line of addBarrier() that is excepted; −1: none.
    bool crossesBarrier(const QRectF& box, qsizetype own) const;
    /// Smallest horizontal distance between two labels.
    void setGap(double gap) { m_gap = gap; }
    /// Labels should not cover the mark of a point. A point counts more than any number of segments.
    void addPoint(const QPointF& at, double radius = 0) { m_points.append({at, radius}); }
    /// A bar, which labels should not cover, counts as a point.
    void addBar(const QRectF& bar) { m_bars.append(bar); }
    /// The label evidently belongs to the point: every other point is at least twice as far from the box, and farther
    /// by `margin`. Distances are those from the edge of the mark.
    bool belongsTo(const QRectF& box, const QPointF& own, double margin) const;
    /// Line from a point to its label, which other labels and lines of this kind should not cross.
    void addLeader(const QLineF& line);
    /// The line crosses no label, no other line of addLeader() and no other point with `margin` around its mark.
    bool isLeaderFree(const QLineF& line, double margin) const;
    void occupy(const QRectF& box) { m_occupied.append(box); }
    enum class Avoided { labels, points, data };  // each with those before; data are points and segments
    /// Occupies and returns the best of these boxes, the first of equally good ones. Nullopt if each covers what is
    /// avoided; `edge` is the width of its background beside it.
    std::optional<QRectF> place(const QList<QRectF>& candidates, Avoided avoided = Avoided::labels, double edge = 0);

    const QList<QRectF>& occupied() const { return m_occupied; }

 private:
    struct Stroke {  // in single precision, because a sweep of thousands of runs has millions of them
        float fromX, fromY, toX, toY;
    };
    struct Mark {
        QPointF at;
        double radius;
    };
    qsizetype weightOf(const QRectF& box, qsizetype enough) const;

    QList<Stroke> m_strokes;
    QList<QLineF> m_barriers;
    double m_gap = 0;
    QList<Mark> m_points;
    QList<QLineF> m_leaders;
    QList<QRectF> m_bars;
    QList<QRectF> m_occupied;
};

/// `room` has one width per label. Labels are cut at the end, or in the middle if different labels would look the same.
QStringList labelsWithin(const QStringList& labels, const QList<double>& room, const TextMetrics& metrics);

}  // namespace ropelab::ui
