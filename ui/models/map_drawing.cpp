#include "ui/models/map_drawing.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

// Sizes in points.
constexpr double kSpot = 3;
constexpr double kPickedSpot = 4.5;
constexpr double kGap = 4;

// Distances between tick marks along the x and the y axis, in sizes of their text.
constexpr double kXSpacing = 7;
constexpr double kYSpacing = 3.6;

Range rangeOf(const MapDrawing& map, double (QPointF::*coordinate)() const) {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    const auto add = [&](const QPointF& at) {
        low = std::min(low, (at.*coordinate)());
        high = std::max(high, (at.*coordinate)());
    };
    for (const auto& spot : map.spots) {
        add(spot.at);
    }
    if (map.current) {
        add(*map.current);
    }
    if (!(high > 0)) {
        return {1, 10};
    }
    const double margin = std::max(1.3, std::pow(high / low, 0.06));
    return {low / margin, high * margin};
}

Ticks marksOf(const AxisScale& scale, double spacing, const FigureStyle& style) {
    const int about = std::max(2, static_cast<int>(scale.length / style.units(spacing * style.tickPt)));
    return ticksOf(scale.minimum, scale.maximum, true, about);
}

QString labelOf(const MapDrawing::Spot& spot) {
    const QString more = spot.names.size() > 1 ? QStringLiteral(" +%1").arg(spot.names.size() - 1) : QString();
    return spot.names.value(0) + more;
}

void paintAxes(const MapDrawing& map, const MapLayout& layout, double left, QPainter& painter,
               const FigureStyle& style) {
    const QFontMetricsF label(style.font(style.labelPt));
    const QFontMetricsF tick(style.font(style.tickPt));
    const QRectF& axes = layout.axes;
    painter.setFont(style.font(style.labelPt));
    painter.setPen(style.theme.text);
    painter.drawText(QPointF(left, axes.top() - style.units(2 * kGap)), map.yTitle);
    painter.drawText(QPointF(axes.center().x() - label.horizontalAdvance(map.xTitle) / 2,
                             axes.bottom() + tick.height() + style.units(2.5 * kGap) + label.ascent()),
                     map.xTitle);
    painter.setFont(style.font(style.tickPt));
    const QPen hairline(style.theme.hairline, style.units(style.hairPt));
    const Ticks up = marksOf(layout.y, kYSpacing, style);
    for (qsizetype i = 0; i < up.at.size(); ++i) {
        const double y = axes.bottom() - layout.y.toDevice(up.at[i]);
        painter.setPen(hairline);
        painter.drawLine(QPointF(axes.left(), y), QPointF(axes.right(), y));
        painter.setPen(style.theme.quietText);
        painter.drawText(QPointF(axes.left() - style.units(kGap) - tick.horizontalAdvance(up.labels[i]),
                                 y + (tick.ascent() - tick.descent()) / 2),
                         up.labels[i]);
    }
    const QPen base(style.theme.quietText, style.units(style.hairPt));
    const Ticks across = marksOf(layout.x, kXSpacing, style);
    for (qsizetype i = 0; i < across.at.size(); ++i) {
        const double x = axes.left() + layout.x.toDevice(across.at[i]);
        painter.setPen(base);
        painter.drawLine(QPointF(x, axes.bottom()), QPointF(x, axes.bottom() + style.units(3)));
        painter.drawText(QPointF(x - tick.horizontalAdvance(across.labels[i]) / 2,
                                 axes.bottom() + style.units(1.2 * kGap) + tick.ascent()),
                         across.labels[i]);
    }
    painter.setPen(base);
    painter.drawLine(axes.bottomLeft(), axes.bottomRight());
}

/// Draws names where they cover neither a spot nor another name.
class LabelPlacer {
 public:
    LabelPlacer(QPainter& painter, const QRectF& inside, const FigureStyle& style)
        : m_painter(painter), m_inside(inside), m_style(style) {}

    /// Keeps a box free of names.
    void avoid(const QRectF& box) { m_occupied.push_back(box); }

    /// Draws a name beside a place: to the right, to the left or at a corner. If all of these are occupied and `must`
    /// is set, the name is drawn further away with a line to the place; otherwise it is omitted.
    void write(const QPointF& place, const QString& name, const QColor& ink, QFont::Weight weight, bool must) {
        QFont font = m_style.font(m_style.tickPt);
        font.setWeight(weight);
        const QFontMetricsF metrics(font);
        const QSizeF size(metrics.horizontalAdvance(name), metrics.ascent() + metrics.descent());
        const auto box = freeBox(place, size, must);
        if (!box) {
            return;
        }
        m_occupied.push_back(*box);
        m_painter.setPen(QPen(ink, m_style.units(m_style.hairPt)));
        if (const QPointF end = nearestIn(*box, place); far(end, place)) {
            m_painter.drawLine(place, end);
        }
        QColor paper = m_style.theme.paper;  // covers lines behind the name
        paper.setAlphaF(0.85F);
        m_painter.fillRect(*box, paper);
        m_painter.setFont(font);
        m_painter.setPen(ink);
        m_painter.drawText(QPointF(box->left(), box->top() + metrics.ascent()), name);
    }

 private:
    std::optional<QRectF> freeBox(const QPointF& place, const QSizeF& size, bool must) const {
        const double away = m_style.units(kSpot + 2.5);
        const double left = -away - size.width();
        const double middle = -size.height() / 2;
        const double up = size.height() / 2 + m_style.units(kSpot + 1);
        QList<QPointF> offsets = {{away, middle},
                                  {left, middle},
                                  {away, middle - up},
                                  {away, middle + up},
                                  {left, middle - up},
                                  {left, middle + up},
                                  {-size.width() / 2, middle - up},
                                  {-size.width() / 2, middle + up}};
        for (int step = 2; must && step < 12; ++step) {
            for (const double x : {away, left, -size.width() / 2}) {
                offsets << QPointF(x, middle - step * up) << QPointF(x, middle + step * up);
            }
        }
        for (const QPointF& offset : std::as_const(offsets)) {
            const QRectF box(place + offset, size);
            const bool isFree = std::none_of(m_occupied.begin(), m_occupied.end(),
                                             [&](const QRectF& other) { return other.intersects(box); });
            if (isFree && m_inside.contains(box)) {
                return box;
            }
        }
        return std::nullopt;
    }

    static QPointF nearestIn(const QRectF& box, const QPointF& place) {
        return {std::clamp(place.x(), box.left(), box.right()), std::clamp(place.y(), box.top(), box.bottom())};
    }
    bool far(const QPointF& end, const QPointF& place) const {
        const QPointF away = end - place;
        return std::hypot(away.x(), away.y()) > m_style.units(kSpot + 6);
    }

    QPainter& m_painter;
    QRectF m_inside;
    const FigureStyle& m_style;
    std::vector<QRectF> m_occupied;
};

void paintNames(const MapDrawing& map, const MapLayout& layout, QPainter& painter, const FigureStyle& style) {
    LabelPlacer names(painter, layout.axes, style);
    const double radius = style.units(kSpot);
    for (const auto& spot : map.spots) {
        const QPointF at = layout.pixelOf(spot.at);
        names.avoid({at.x() - radius, at.y() - radius, 2 * radius, 2 * radius});
    }
    for (const auto& spot : map.spots) {
        if (spot.isPicked) {
            names.write(layout.pixelOf(spot.at), labelOf(spot), style.theme.text, QFont::DemiBold, true);
        }
    }
    if (map.current) {
        const bool isNamed = std::any_of(map.spots.begin(), map.spots.end(), [&](const MapDrawing::Spot& spot) {
            return spot.isPicked && spot.at == *map.current;
        });
        if (!isNamed) {
            names.write(layout.pixelOf(*map.current), QObject::tr("current setup"), style.theme.accent, QFont::DemiBold,
                        true);
        }
    }
    for (const auto& spot : map.spots) {
        if (!spot.isPicked) {
            names.write(layout.pixelOf(spot.at), labelOf(spot), style.theme.quietText, QFont::Normal, false);
        }
    }
}

}  // namespace

Range MapDrawing::xRange() const {
    return rangeOf(*this, &QPointF::x);
}

Range MapDrawing::yRange() const {
    return rangeOf(*this, &QPointF::y);
}

MapLayout::MapLayout(const MapDrawing& map, const QRectF& rect, const FigureStyle& style) {
    const QFontMetricsF label(style.font(style.labelPt));
    const QFontMetricsF tick(style.font(style.tickPt));
    const Range xs = map.xRange();
    const Range ys = map.yRange();
    const double top = label.height() + style.units(2.5 * kGap);
    const double bottom = tick.height() + label.height() + style.units(3.5 * kGap);
    y = {ys.minimum, ys.maximum, true, std::max(1.0, rect.height() - top - bottom)};
    double widest = 0;
    for (const QString& text : marksOf(y, kYSpacing, style).labels) {
        widest = std::max(widest, tick.horizontalAdvance(text));
    }
    const double left = widest + style.units(2 * kGap);
    const double right = style.units(2 * kGap);
    x = {xs.minimum, xs.maximum, true, std::max(1.0, rect.width() - left - right)};
    axes = QRectF(rect.left() + left, rect.top() + top, x.length, y.length);
}

QPointF MapLayout::pixelOf(const QPointF& value) const {
    return {axes.left() + x.toDevice(value.x()), axes.bottom() - y.toDevice(value.y())};
}

void paintMap(const MapDrawing& map, QPainter& painter, const QRectF& rect, const FigureStyle& style) {
    const MapLayout layout(map, rect, style);
    if (map.spots.empty()) {
        painter.setFont(style.font(style.labelPt));
        painter.setPen(style.theme.quietText);
        painter.drawText(rect, Qt::AlignCenter | Qt::TextWordWrap, map.emptyText);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(map, layout, rect.left(), painter, style);
    const auto disc = [&](const QPointF& at, const QColor& ink, double points) {
        painter.setPen(QPen(style.theme.paper, style.units(0.75)));
        painter.setBrush(ink);
        painter.drawEllipse(layout.pixelOf(at), style.units(points), style.units(points));
        painter.setBrush(Qt::NoBrush);
    };
    if (map.current) {
        const QPointF at = layout.pixelOf(*map.current);
        QPen pen(style.theme.accent, style.units(style.hairPt * 1.4));
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({5, 4});
        painter.setPen(pen);
        painter.drawLine(QPointF(at.x(), layout.axes.top()), QPointF(at.x(), layout.axes.bottom()));
        painter.drawLine(QPointF(layout.axes.left(), at.y()), QPointF(layout.axes.right(), at.y()));
    }
    for (const auto& spot : map.spots) {
        disc(spot.at, style.theme.rotated, kSpot);
    }
    for (const auto& spot : map.spots) {
        if (spot.isPicked) {
            disc(spot.at, style.theme.text, kPickedSpot);
        }
    }
    if (map.current) {
        disc(*map.current, style.theme.accent, kSpot);
    }
    paintNames(map, layout, painter, style);
}

}  // namespace ropelab::ui
