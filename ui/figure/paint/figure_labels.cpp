#include "ui/figure/paint/figure_labels.h"

#include <algorithm>
#include <cmath>

#include "ui/figure/text_metrics.h"

namespace ropelab::ui {
namespace {

// Sizes in points.
constexpr double kLineGap = 5;         // distance of a label from its vertical line
constexpr double kLabelDistance = 4;   // smallest horizontal distance of two labels
constexpr double kBackgroundEdge = 2;  // width of the background at the left and right of a label
constexpr int kUpperRows = 4;          // rows at the top of the axes that labels of vertical lines prefer
constexpr int kPointRows = 8;          // rows above and below a point in which its label with a line is placed
constexpr double kPointGap = 2;        // distance of a label from the mark of its point
constexpr double kClearGap = 3;        // by how much other marks are farther from a label, and distance of leaders
constexpr qsizetype kNoLine = -1;
constexpr qsizetype kMostPoints = 100;  // whose labels are placed: figures have space for fewer

QLineF leaderOf(const FigureLabels::Point& point, const QRectF& box) {
    return {point.at, QPointF(std::clamp(point.at.x(), box.left(), box.right()),
                              std::clamp(point.at.y(), box.top(), box.bottom()))};
}

}  // namespace

void FigureLabels::addCurve(const Polyline& line, std::optional<double> radius) {
    QPointF before;
    bool isPreviousDrawn = false;
    for (qsizetype i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
        const QPointF here(m_x.toDevice(line.x[i]), m_y.length - m_y.toDevice(line.y[i]));
        const bool isDrawn = std::isfinite(here.x()) && std::isfinite(here.y());
        if (isDrawn && radius) {
            m_places.addPoint(here, *radius);
        } else if (isDrawn && isPreviousDrawn) {
            m_places.addStroke(before, here);
        }
        before = here;
        isPreviousDrawn = isDrawn;
    }
}

void FigureLabels::placeLines(const std::vector<FigureLine>& vertical, const std::vector<FigureLine>& horizontal) {
    m_places.setGap(m_style.units(kLabelDistance));
    // All lines are added first, so that no label crosses the line of a later one.
    const auto add = [this](const std::vector<FigureLine>& lines, const AxisScale& scale, auto endsOf) {
        QList<qsizetype> ids;
        for (const FigureLine& line : lines) {
            const double at = scale.toDevice(line.at);
            const bool isDrawn = scale.contains(line.at) && std::isfinite(at);
            ids.append(kNoLine);
            if (!isDrawn) continue;
            const QLineF ends = endsOf(at);
            if (line.label.isEmpty() || line.isInLegend) {
                m_places.addStroke(ends.p1(), ends.p2());
            } else {
                ids.last() = m_places.addBarrier(ends.p1(), ends.p2());
            }
        }
        return ids;
    };
    const auto horizontalIds =
        add(horizontal, m_y, [this](double at) { return QLineF(0, m_y.length - at, m_x.length, m_y.length - at); });
    const auto verticalIds = add(vertical, m_x, [&](double at) { return QLineF(at, -heightAbove(), at, m_y.length); });
    for (std::size_t i = 0; i < horizontal.size(); ++i) {
        const qsizetype own = horizontalIds[static_cast<qsizetype>(i)];
        if (own != kNoLine) placeHorizontal(horizontal[i], own);
    }
    for (std::size_t i = 0; i < vertical.size(); ++i) {
        const qsizetype own = verticalIds[static_cast<qsizetype>(i)];
        if (own != kNoLine) placeVertical(vertical[i], own);
    }
}

double FigureLabels::heightAbove() const {
    return m_hasRowAbove ? TextMetrics(m_style.font(m_style.tickPt)).height() : 0;
}

void FigureLabels::placeHorizontal(const FigureLine& line, qsizetype own) {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    const double gap = m_style.units(kLineGap);
    const double y = m_y.length - m_y.toDevice(line.at);
    // A label that is wider than the axes would cover the labels of the curves' ends. On paper, the note has all of it.
    if (!m_style.onScreen && metrics.horizontalAdvance(line.label) > m_x.length - 2 * gap) {
        m_omitted << line.label;
        return;
    }
    const QString label = metrics.elidedText(line.label, Qt::ElideMiddle, m_x.length - 2 * gap);
    const double width = metrics.horizontalAdvance(label);
    const double space = m_x.length - 2 * gap - width;
    QList<QRectF> candidates;
    for (const double fraction : {0.0, 1.0, 0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875}) {
        const double left = gap + std::max(0.0, fraction * space);
        for (const double top : {y + m_style.units(3), y - m_style.units(3) - metrics.height()}) {
            if (top >= 0 && top + metrics.height() < m_y.length - m_style.units(1)) {
                candidates.append(QRectF(left, top, width, metrics.height()));
            }
        }
    }
    if (!place(besideLines(candidates, own), label, m_style.colorOf(line.ink))) m_omitted << line.label;
}

void FigureLabels::placeVertical(const FigureLine& line, qsizetype own) {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    const double gap = m_style.units(kLineGap);
    const double x = m_x.toDevice(line.at);
    const double width = metrics.horizontalAdvance(line.label);
    QList<double> lefts;
    for (const double left : {x + gap, x - gap - width}) {
        if (left >= 0 && left + width <= m_x.length) lefts << left;
    }
    if (lefts.isEmpty() && width <= m_x.length) {  // the label fits on neither side of the line
        lefts << std::clamp(x + gap, 0.0, m_x.length - width);
    }
    QList<QRectF> upper;
    QList<QRectF> lower;
    const double step = metrics.height() + m_style.units(1);
    int row = 0;
    for (double top = m_style.units(2); top + metrics.height() <= m_y.length; top += step, ++row) {
        for (const double left : std::as_const(lefts)) {
            (row < kUpperRows ? upper : lower).append(QRectF(left, top, width, metrics.height()));
        }
    }
    const QColor ink = m_style.colorOf(line.ink);
    const bool isPlaced =
        place(besideLines(upper, own), line.label, ink) || place(besideLines(lower, own), line.label, ink);
    if (isPlaced) return;
    QList<QRectF> above;
    for (const double left : {x + gap, x - gap - width, x - width / 2}) {
        const QRectF box(std::clamp(left, 0.0, std::max(0.0, m_x.length - width)), -metrics.height(), width,
                         metrics.height());
        if (m_hasRowAbove && width <= m_x.length) above.append(box);
    }
    if (!place(besideLines(above, own), line.label, ink)) m_omitted << line.label;
}

bool FigureLabels::isNumber(const QString& label) {
    return std::ranges::all_of(label, [](QChar letter) { return letter.isDigit(); });
}

void FigureLabels::placePoints(const QList<Point>& points) {
    QList<Point> crowded;
    for (const Point& point : points.first(std::min(points.size(), kMostPoints))) {
        if (!placeBeside(point) && !(point.isPicked && placeWithLeader(point))) crowded.append(point);
    }
    // Labels with lines come last, because they find space in many places; of them, numbers come first, because their
    // points have no other name.
    std::ranges::stable_partition(crowded, isNumber, &Point::label);
    for (const Point& point : std::as_const(crowded)) {
        if (!placeWithLeader(point)) m_omittedPoints << point.label;
    }
}

QFont FigureLabels::fontOf(const Point& point) const {
    QFont font = m_style.font(m_style.tickPt);
    font.setWeight(point.isPicked ? QFont::DemiBold : font.weight());
    return font;
}

QList<QRectF> FigureLabels::boxesAt(const Point& point, const QList<QPointF>& corners, const QSizeF& size) const {
    const QRectF axes(0, 0, m_x.length, m_y.length);
    QList<QRectF> boxes;
    for (const QPointF& corner : corners) {
        const QRectF box(point.at + corner, size);
        if (axes.contains(box)) boxes.append(box);
    }
    return boxes;
}

bool FigureLabels::placeBeside(const Point& point) {
    const TextMetrics metrics(fontOf(point));
    const QSizeF size(metrics.horizontalAdvance(point.label), metrics.height());
    const double off = point.radius + m_style.units(kPointGap);
    const double left = -off - size.width();
    const double middle = -size.width() / 2;
    const double above = -off - size.height();
    const QList<QPointF> corners = {{off, -size.height() / 2},
                                    {left, -size.height() / 2},
                                    {middle, above},
                                    {middle, off},
                                    {off, above},
                                    {left, above},
                                    {off, off},
                                    {left, off}};
    QList<QRectF> candidates = besideLines(boxesAt(point, corners, size), kNoLine);
    candidates.removeIf(
        [&](const QRectF& box) { return !m_places.belongsTo(box, point.at, m_style.units(kClearGap)); });
    return placePoint(point, candidates, false);
}

bool FigureLabels::placeWithLeader(const Point& point) {
    const TextMetrics metrics(fontOf(point));
    const QSizeF size(metrics.horizontalAdvance(point.label), metrics.height());
    const double off = point.radius + m_style.units(kPointGap);
    QList<QPointF> corners;
    // All of the axes are searched for a number that stands for a name: nothing else tells the name on paper.
    const int rows =
        isNumber(point.label) ? std::max(kPointRows, static_cast<int>(m_y.length / size.height())) : kPointRows;
    for (int row = 1; row < rows; ++row) {
        const double up = -off - (row + 1) * size.height();
        const double down = off + row * size.height();
        for (const double step : {0.0, 0.5, 1.0, 1.5, 2.0}) {
            const double aside = off + step * size.height();
            for (const double x : {aside, -aside - size.width()}) corners << QPointF(x, up) << QPointF(x, down);
        }
        corners << QPointF(-size.width() / 2, up) << QPointF(-size.width() / 2, down);
    }
    for (const double step : {1.0, 2.0, 3.0}) {  // between points that are one above the other
        const double aside = off + step * size.height();
        if (m_style.onScreen) break;
        corners << QPointF(aside, -size.height() / 2) << QPointF(-aside - size.width(), -size.height() / 2);
    }
    const QList<QRectF> all = boxesAt(point, corners, size);
    QList<QRectF> candidates = besideLines(all, kNoLine);
    candidates.removeIf(
        [&](const QRectF& box) { return !m_places.isLeaderFree(leaderOf(point, box), m_style.units(kClearGap) / 2); });
    // The label of a picked point and a number of the note are needed even where only leaders across other points
    // remain.
    return placePoint(point, candidates, true) ||
           ((point.isPicked || isNumber(point.label)) && placePoint(point, all, true));
}

bool FigureLabels::placePoint(const Point& point, const QList<QRectF>& candidates, bool hasLeader) {
    const bool avoidsData = !m_style.onScreen && !point.isPicked;
    const auto box = m_places.place(candidates, avoidsData ? LabelPlaces::Avoided::data : LabelPlaces::Avoided::points);
    if (!box) return false;
    Placed placed{point.label, *box, point.isQuiet ? m_style.theme.quietText : m_style.theme.text, point.isPicked};
    if (hasLeader) {
        placed.leader = leaderOf(point, *box);
        m_places.addLeader(*placed.leader);
    }
    m_placed.append(placed);
    return true;
}

QList<QRectF> FigureLabels::besideLines(const QList<QRectF>& boxes, qsizetype own) const {
    const double edge = m_style.units(kBackgroundEdge);
    QList<QRectF> free;
    for (const QRectF& box : boxes) {
        if (!m_places.crossesBarrier(box.adjusted(-edge, 0, edge, 0), own)) free.append(box);
    }
    return free;
}

bool FigureLabels::place(const QList<QRectF>& candidates, const QString& label, const QColor& ink) {
    const auto box =
        m_places.place(candidates, m_style.onScreen ? LabelPlaces::Avoided::labels : LabelPlaces::Avoided::data,
                       m_style.units(kBackgroundEdge));
    if (box) m_placed.append({label, *box, ink});
    return box.has_value();
}

}  // namespace ropelab::ui
