#pragma once

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
    /// Adds a point, which labels should not cover. A point counts more than any number of segments.
    void addPoint(const QPointF& at) { m_points.append(at); }
    /// Adds the box of an existing label.
    void occupy(const QRectF& box) { m_occupied.append(box); }
    /// Occupies and returns the best of these boxes, the first of equally good ones. Returns nullopt if labels overlap
    /// all of them; with `avoidsPoints` also if each covers a label or a point, or is nearer than `distance` to a
    /// point.
    std::optional<QRectF> place(const QList<QRectF>& candidates, bool avoidsPoints = false, double distance = 0);

    /// Boxes of all labels.
    const QList<QRectF>& occupied() const { return m_occupied; }

 private:
    struct Stroke {
        QPointF from;
        QPointF to;
    };
    qsizetype weightOf(const QRectF& box, double distance, qsizetype enough) const;

    QList<Stroke> m_strokes;
    QList<Stroke> m_barriers;
    double m_gap = 0;
    QList<QPointF> m_points;
    QList<QRectF> m_occupied;
};

/// Returns the labels, shortened to their widths (one per label). Labels are cut at the end, or in the middle if
/// different labels would look the same.
QStringList labelsWithin(const QStringList& labels, const QList<double>& room, const QFontMetricsF& metrics);

}  // namespace ropelab::ui
