#include "ui/figure/label_places.h"

#include <QFontMetricsF>
#include <QHash>

#include <algorithm>
#include <limits>

namespace ropelab::ui {
namespace {

constexpr qsizetype kPointCost = 100'000;  // one point counts as much as this number of segments

/// Returns whether a line segment crosses a box (Liang–Barsky clipping).
bool crosses(const QPointF& from, const QPointF& to, const QRectF& box) {
    double start = 0;
    double end = 1;
    const auto cut = [&](double along, double space) {
        if (along == 0) {
            return space >= 0;
        }
        const double at = space / along;
        if (along < 0) {
            start = std::max(start, at);
        } else {
            end = std::min(end, at);
        }
        return start <= end;
    };
    const QPointF step = to - from;
    return cut(-step.x(), from.x() - box.left()) && cut(step.x(), box.right() - from.x()) &&
           cut(-step.y(), from.y() - box.top()) && cut(step.y(), box.bottom() - from.y());
}

}  // namespace

qsizetype LabelPlaces::addBarrier(const QPointF& from, const QPointF& to) {
    addStroke(from, to);
    m_barriers.append({from, to});
    return m_barriers.size() - 1;
}

bool LabelPlaces::crossesBarrier(const QRectF& box, qsizetype own) const {
    for (qsizetype i = 0; i < m_barriers.size(); ++i) {
        if (i != own && crosses(m_barriers[i].from, m_barriers[i].to, box)) return true;
    }
    return false;
}

qsizetype LabelPlaces::weightOf(const QRectF& box, double distance, qsizetype enough) const {
    const QRectF near = box.adjusted(-distance, -distance, distance, distance);
    qsizetype weight = kPointCost * std::count_if(m_points.begin(), m_points.end(),
                                                  [&near](const QPointF& point) { return near.contains(point); });
    for (const Stroke& stroke : m_strokes) {
        if (weight >= enough) {
            break;
        }
        weight += crosses(stroke.from, stroke.to, box) ? 1 : 0;
    }
    return weight;
}

std::optional<QRectF> LabelPlaces::place(const QList<QRectF>& candidates, bool avoidsPoints, double distance) {
    std::optional<QRectF> best;
    qsizetype least = avoidsPoints ? kPointCost : std::numeric_limits<qsizetype>::max();
    for (const QRectF& box : candidates) {
        const QRectF wide = box.adjusted(-m_gap, 0, m_gap, 0);
        const bool isFree = std::none_of(m_occupied.begin(), m_occupied.end(),
                                         [&wide](const QRectF& other) { return other.intersects(wide); });
        const qsizetype weight = isFree && least > 0 ? weightOf(box, distance, least) : least;
        if (weight < least) {
            least = weight;
            best = box;
        }
    }
    if (best) {
        occupy(*best);
    }
    return best;
}

QStringList labelsWithin(const QStringList& labels, const QList<double>& widths, const QFontMetricsF& metrics) {
    for (const Qt::TextElideMode mode : {Qt::ElideRight, Qt::ElideMiddle}) {
        QStringList cut;
        QHash<QString, QString> whole;  // whole labels by their shortened texts
        bool areDistinct = true;
        for (qsizetype i = 0; i < labels.size(); ++i) {
            cut << metrics.elidedText(labels[i], mode, widths[i]);
            const auto known = whole.constFind(cut.last());
            areDistinct = areDistinct && (known == whole.constEnd() || *known == labels[i]);
            whole.insert(cut.last(), labels[i]);
        }
        if (areDistinct || mode == Qt::ElideMiddle) return cut;
    }
    return labels;
}

}  // namespace ropelab::ui
