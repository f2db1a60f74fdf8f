#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <optional>

namespace ropelab::ui {

/// Where a plot has words: no two boxes overlap, and of the free ones that with the fewest strokes beneath is taken.
/// All in the plot's units.
class LabelPlaces {
 public:
    /// A piece of a curve or line, best left free.
    void addStroke(const QPointF& from, const QPointF& to) { m_strokes.append({from, to}); }
    /// A mark that words on it would hide; it weighs more than any strokes.
    void addPoint(const QPointF& at) { m_points.append(at); }
    /// Words that stand already.
    void take(const QRectF& box) { m_taken.append(box); }
    /// Takes the best of these boxes, the first of equals; nullopt where words stand on all of them, and with
    /// `sparesPoints` where points do.
    std::optional<QRectF> place(const QList<QRectF>& wishes, bool sparesPoints = false);

    const QList<QRectF>& taken() const { return m_taken; }

 private:
    struct Stroke {
        QPointF from;
        QPointF to;
    };
    qsizetype weightOf(const QRectF& box, qsizetype enough) const;

    QList<Stroke> m_strokes;
    QList<QPointF> m_points;
    QList<QRectF> m_taken;
};

/// Cuts labels that are longer than their room (as many): at the end, or in the middle where different ones would look
/// the same.
QStringList labelsWithin(const QStringList& labels, const QList<double>& room, const QFontMetricsF& metrics);

}  // namespace ropelab::ui
