#include "ui/figure/paint/label_places.h"

#include <QHash>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/text_metrics.h"

namespace ropelab::ui {
namespace {

constexpr qsizetype kPointCost = 100'000;  // one point counts as much as this number of segments

/// Liang–Barsky clipping.
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

/// To the nearest place of the box, 0 inside.
double distanceOf(const QPointF& point, const QRectF& box) {
    const double across = std::max({box.left() - point.x(), point.x() - box.right(), 0.0});
    const double up = std::max({box.top() - point.y(), point.y() - box.bottom(), 0.0});
    return std::hypot(across, up);
}

double distanceOf(const QPointF& point, const QLineF& line) {
    const QPointF along = line.p2() - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double fraction = length > 0 ? QPointF::dotProduct(point - line.p1(), along) / length : 0;
    return QLineF(point, line.pointAt(std::clamp(fraction, 0.0, 1.0))).length();
}

constexpr double kSamePlace =
    0.01;  // points at this distance have the same place, so that no label can tell them apart

}  // namespace

void LabelPlaces::addStroke(const QPointF& from, const QPointF& to) {
    m_strokes.append({static_cast<float>(from.x()), static_cast<float>(from.y()), static_cast<float>(to.x()),
                      static_cast<float>(to.y())});
}

qsizetype LabelPlaces::addBarrier(const QPointF& from, const QPointF& to) {
    addStroke(from, to);
    m_barriers.append({from, to});
    return m_barriers.size() - 1;
}

bool LabelPlaces::crossesBarrier(const QRectF& box, qsizetype own) const {
    for (qsizetype i = 0; i < m_barriers.size(); ++i) {
        if (i != own && crosses(m_barriers[i].p1(), m_barriers[i].p2(), box)) return true;
    }
    return false;
}

bool LabelPlaces::belongsTo(const QRectF& box, const QPointF& own, double margin) const {
    double ownGap = std::numeric_limits<double>::infinity();
    double otherGap = std::numeric_limits<double>::infinity();
    for (const Mark& point : m_points) {
        double& gap = QLineF(point.at, own).length() <= kSamePlace ? ownGap : otherGap;
        gap = std::min(gap, std::max(0.0, distanceOf(point.at, box) - point.radius));
    }
    return otherGap >= 2 * ownGap && otherGap >= ownGap + margin;
}

void LabelPlaces::addLeader(const QLineF& line) {
    addBarrier(line.p1(), line.p2());
    m_leaders.append(line);
}

bool LabelPlaces::isLeaderFree(const QLineF& line, double margin) const {
    const auto crossesBox = [&line](const QRectF& box) { return crosses(line.p1(), line.p2(), box); };
    const auto crossesLeader = [&line](const QLineF& other) {
        return line.intersects(other, nullptr) == QLineF::BoundedIntersection;
    };
    const auto crossesMark = [&](const Mark& point) {
        // A line cannot avoid a mark that lies over that of its own point; it ends at the middle of its own.
        const double clear = point.radius + margin;
        return QLineF(point.at, line.p1()).length() > clear && distanceOf(point.at, line) < clear;
    };
    return std::ranges::none_of(m_occupied, crossesBox) && std::ranges::none_of(m_bars, crossesBox) &&
           std::none_of(m_leaders.begin(), m_leaders.end(), crossesLeader) &&
           std::none_of(m_points.begin(), m_points.end(), crossesMark);
}

qsizetype LabelPlaces::weightOf(const QRectF& box, qsizetype enough) const {
    qsizetype weight = kPointCost * std::count_if(m_points.begin(), m_points.end(), [&box](const Mark& point) {
                           return distanceOf(point.at, box) <= point.radius;
                       });
    weight += kPointCost * std::ranges::count_if(m_bars, [&box](const QRectF& bar) { return bar.intersects(box); });
    for (const Stroke& stroke : m_strokes) {
        if (weight >= enough) {
            break;
        }
        weight += crosses({stroke.fromX, stroke.fromY}, {stroke.toX, stroke.toY}, box) ? 1 : 0;
    }
    return weight;
}

std::optional<QRectF> LabelPlaces::place(const QList<QRectF>& candidates, Avoided avoided, double edge) {
    std::optional<QRectF> best;
    qsizetype least = avoided == Avoided::data     ? 1
                      : avoided == Avoided::points ? kPointCost
                                                   : std::numeric_limits<qsizetype>::max();
    for (const QRectF& box : candidates) {
        const QRectF wide = box.adjusted(-m_gap, 0, m_gap, 0);
        const bool isFree = std::none_of(m_occupied.begin(), m_occupied.end(),
                                         [&wide](const QRectF& other) { return other.intersects(wide); });
        const qsizetype weight = isFree && least > 0 ? weightOf(box.adjusted(-edge, 0, edge, 0), least) : least;
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

QStringList labelsWithin(const QStringList& labels, const QList<double>& widths, const TextMetrics& metrics) {
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
