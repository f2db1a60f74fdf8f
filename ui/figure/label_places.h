#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <optional>

namespace ropelab::ui {

/// Places the labels of a plot: boxes do not overlap, and of several free boxes the one that covers the fewest lines is
/// used. All coordinates are in the plot's units.
class LabelPlaces {
 public:
    /// Adds a segment of a curve or line, which labels should not cover.
    void addStroke(const QPointF& from, const QPointF& to) { m_strokes.append({from, to}); }
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
    QList<QPointF> m_points;
    QList<QRectF> m_occupied;
};

/// Returns the labels, shortened to their widths (one per label). Labels are cut at the end, or in the middle if
/// different labels would look the same.
QStringList labelsWithin(const QStringList& labels, const QList<double>& room, const QFontMetricsF& metrics);

}  // namespace ropelab::ui
