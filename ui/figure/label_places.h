#pragma once

#include <QLineF>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QStringList>
#include <optional>

class QFontMetricsF;

namespace ropelab::ui {

/// Places the labels of a plot: boxes do not overlap, and of several free boxes the one that covers the fewest lines is
/// used. All coordinates are in the plot's units.
class LabelPlaces {
 public:
    /// Adds a segment of a curve or line, which labels should not cover.
    void addStroke(const QPointF& from, const QPointF& to) { m_strokes.append({from, to}); }
    /// Adds a line that has a label, which other labels should not cross (crossesBarrier). Returns its number.
    qsizetype addBarrier(const QPointF& from, const QPointF& to);
    /// Returns whether a box crosses a line of addBarrier() other than the line `own` (−1: none is excepted).
    bool crossesBarrier(const QRectF& box, qsizetype own) const;
    /// Sets the smallest horizontal distance between two labels; it is 0 at first.
    void setGap(double gap) { m_gap = gap; }
    /// Adds a point with the radius of its mark, which labels should not cover. A point counts more than any number of
    /// segments.
    void addPoint(const QPointF& at, double radius = 0) { m_points.append({at, radius}); }
    /// Returns whether a label in a box evidently belongs to a point: every other point is at least twice as far from
    /// the box, and farther by `margin`. Distances are those from the edge of the mark.
    bool belongsTo(const QRectF& box, const QPointF& own, double margin) const;
    /// Adds a line from a point to its label, which other labels and lines of this kind should not cross.
    void addLeader(const QLineF& line);
    /// Returns whether a line from a point to a label crosses no label, no other line of addLeader() and no other point
    /// with `margin` around its mark.
    bool isLeaderFree(const QLineF& line, double margin) const;
    /// Adds the box of an existing label.
    void occupy(const QRectF& box) { m_occupied.append(box); }
    /// Occupies and returns the best of these boxes, the first of equally good ones. Returns nullopt if labels overlap
    /// all of them; with `avoidsPoints` also if each covers a label or the mark of a point.
    std::optional<QRectF> place(const QList<QRectF>& candidates, bool avoidsPoints = false);

    /// Boxes of all labels.
    const QList<QRectF>& occupied() const { return m_occupied; }

 private:
    struct Stroke {
        QPointF from;
        QPointF to;
    };
    struct Mark {
        QPointF at;
        double radius;
    };
    qsizetype weightOf(const QRectF& box, qsizetype enough) const;

    QList<Stroke> m_strokes;
    QList<Stroke> m_barriers;
    double m_gap = 0;
    QList<Mark> m_points;
    QList<QLineF> m_leaders;
    QList<QRectF> m_occupied;
};

/// Returns the labels, shortened to their widths (one per label). Labels are cut at the end, or in the middle if
/// different labels would look the same.
QStringList labelsWithin(const QStringList& labels, const QList<double>& room, const QFontMetricsF& metrics);

}  // namespace ropelab::ui
