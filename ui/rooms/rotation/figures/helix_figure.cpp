#include "ui/rooms/rotation/figures/scene_figures.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMostPeriods = 40;
constexpr int kPointsPerPeriod = 40;
constexpr int kFewestPoints = 240;
// Up to this many positions get one dot each.
constexpr double kMostDots = 160;

// Largest half length of the axis, in radii of the helix.
constexpr double kLongest = 11;

// Lengths in points.
constexpr double kLine = 16;
const QString kPrintedWords =
    u"; faint: behind the axis; ellipses: all angles, at both ends; axis: position (tokens)"_s;
constexpr double kPrintedLine = 1.5;  // relative to the size of the text
constexpr double kMargin = 26;

struct HelixPicture {
    Range range;
    double frequency = 0;
    double m = 0;
    double n = 0;
    double yaw = 0;
    double pitch = 0;
    QString title;
    QString note;
    QString empty;
};

/// Coordinates along the axis of positions, the cosine axis and the sine axis.
struct Space {
    double along = 0;
    double cosine = 0;
    double sine = 0;
};

/// Parallel projection: rotates about the vertical by yaw, then tilts by pitch, then scales into a rectangle.
class Projection {
 public:
    Projection(const HelixPicture& picture, const QRectF& rect) : m_picture(picture) {
        m_half = halfLength(rect);
        QRectF box;
        for (const double along : {-m_half, m_half}) {
            for (int corner = 0; corner < 24; ++corner) {
                const double angle = corner * std::numbers::pi / 12;
                const QPointF at = flat({along, 1.12 * std::cos(angle), 1.12 * std::sin(angle)});
                box |= QRectF(at - QPointF(1e-9, 1e-9), QSizeF(2e-9, 2e-9));
            }
        }
        m_scale = std::min(rect.width() / box.width(), rect.height() / box.height());
        m_origin = rect.center() - m_scale * box.center();
    }

    QPointF at(const Space& point) const { return m_origin + m_scale * flat(point); }
    /// Depth relative to the axis; positive values are in front of it.
    double nearness(const Space& point) const {
        return point.cosine * std::cos(m_picture.yaw) * std::cos(m_picture.pitch) +
               point.sine * std::sin(m_picture.pitch);
    }
    double along(double position) const {
        const double span = std::max(1e-12, m_picture.range.maximum - m_picture.range.minimum);
        return (2 * (position - m_picture.range.minimum) / span - 1) * m_half;
    }
    Space helix(double position) const {
        const double angle = position * m_picture.frequency;
        return {along(position), std::cos(angle), std::sin(angle)};
    }

 private:
    /// Half the length of the axis, in radii of the helix, at which the initial view fills the rectangle. It does not
    /// depend on yaw and pitch, so that the helix keeps its shape during a drag.
    static double halfLength(const QRectF& rect) {
        const RotationState first;
        const double aspect = rect.width() / std::max(1.0, rect.height());
        const double slope = std::sin(first.yaw) * std::sin(first.pitch);
        const double left = std::cos(first.yaw) - aspect * slope;
        const double radius = 1.12;
        return left <= 0 ? 6
                         : std::clamp((aspect * radius * std::cos(first.pitch) - radius * std::sin(first.yaw)) / left,
                                      1.2, kLongest);
    }
    QPointF flat(const Space& point) const {
        const double x = point.along * std::cos(m_picture.yaw) - point.cosine * std::sin(m_picture.yaw);
        const double depth = point.along * std::sin(m_picture.yaw) + point.cosine * std::cos(m_picture.yaw);
        return {x, -(point.sine * std::cos(m_picture.pitch) - depth * std::sin(m_picture.pitch))};
    }

    const HelixPicture& m_picture;
    double m_half = 2;
    double m_scale = 1;
    QPointF m_origin;
};

void drawFrame(QPainter& painter, const Projection& space, const HelixPicture& picture, const FigureStyle& style) {
    const TextMetrics metrics(painter.font());
    painter.setPen(QPen(style.theme.hairline, style.units(style.hairPt)));
    painter.setBrush(Qt::NoBrush);
    for (const double position : {picture.range.minimum, picture.range.maximum}) {
        const double along = space.along(position);
        QPolygonF ring;
        for (int i = 0; i <= 48; ++i) {
            const double angle = i * std::numbers::pi / 24;
            ring.append(space.at({along, std::cos(angle), std::sin(angle)}));
        }
        painter.drawPolyline(ring);
    }
    const double first = space.along(picture.range.minimum);
    const double last = space.along(picture.range.maximum);
    const QPen axis(style.theme.quietText, style.units(style.hairPt));
    painter.setPen(axis);
    painter.drawLine(space.at({first, 0, 0}), space.at({last, 0, 0}));
    painter.drawLine(space.at({first, 0, 0}), space.at({first, 1, 0}));
    painter.drawLine(space.at({first, 0, 0}), space.at({first, 0, 1}));
    // The names are placed left of the tips, where no mark of a position is drawn; on paper, where no mark has a text,
    // above the upper tip, so that they cover no curve.
    const auto name = [&](const Space& place, const QString& text, bool above) {
        const double width = metrics.horizontalAdvance(text);
        painter.drawText(space.at(place) - (above ? QPointF(width / 2, style.units(4))
                                                  : QPointF(width + style.units(4), -metrics.ascent() / 2)),
                         text);
    };
    name({first, 1, 0}, u"cos"_s, false);
    name({first, 0, 1}, u"sin"_s, !style.onScreen);
}

void drawTicks(QPainter& painter, const Projection& space, const HelixPicture& picture, const FigureStyle& style) {
    const TextMetrics metrics(painter.font());
    const double first = space.along(picture.range.minimum);
    const double last = space.along(picture.range.maximum);
    const double length = QLineF(space.at({first, 0, 0}), space.at({last, 0, 0})).length();
    const int about = std::clamp(static_cast<int>(length / style.units(70)), 1, 8);
    const Ticks ticks = ticksOf(picture.range.minimum, picture.range.maximum, false, about);
    QColor paper = style.theme.paper;
    paper.setAlphaF(0.75F);
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        if (ticks.at[i] < picture.range.minimum || ticks.at[i] > picture.range.maximum) {
            continue;
        }
        const QPointF at = space.at({space.along(ticks.at[i]), 0, 0});
        const QString& text = ticks.labels[i];
        const double width = metrics.horizontalAdvance(text);
        // On paper below the helix, so that no curve is covered.
        const double top = style.onScreen ? at.y() : space.at({space.along(ticks.at[i]), 0, -1.12}).y();
        const QRectF box(at.x() - width / 2 - style.units(2), top + style.units(3), width + style.units(4),
                         metrics.height());
        painter.fillRect(box, paper);
        painter.setPen(QPen(style.theme.quietText, style.units(style.hairPt)));
        painter.drawLine(at - QPointF(0, style.units(2)), at + QPointF(0, style.units(2)));
        if (!style.onScreen) {
            painter.setPen(QPen(style.theme.quietText, style.units(style.hairPt), Qt::DotLine));
            painter.drawLine(at + QPointF(0, style.units(2)), QPointF(at.x(), box.top()));
        }
        painter.drawText(QPointF(at.x() - width / 2, box.top() + metrics.ascent()), text);
    }
}

void drawCurve(QPainter& painter, const Projection& space, const HelixPicture& picture, const FigureStyle& style) {
    const double span = picture.range.maximum - picture.range.minimum;
    const double periods = span * picture.frequency / (2 * std::numbers::pi);
    const int count = std::max(kFewestPoints, static_cast<int>(periods * kPointsPerPeriod));
    // Points behind the axis are drawn fainter. Adjacent points on the same side are joined into one line.
    QPolygonF piece;
    bool isNear = false;
    const auto flush = [&] {
        QColor color = style.theme.rotated;
        color.setAlphaF(isNear ? 1.0F : 0.35F);
        painter.setPen(QPen(color, style.units(isNear ? 1.4 : 1.0), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        painter.drawPolyline(piece);
    };
    for (int i = 0; i <= count; ++i) {
        const Space point = space.helix(picture.range.minimum + span * i / count);
        const bool pointIsNear = space.nearness(point) >= 0;
        const QPointF at = space.at(point);
        if (!piece.isEmpty() && pointIsNear != isNear) {
            piece.append(at);
            flush();
            piece.clear();
        }
        isNear = pointIsNear;
        piece.append(at);
    }
    flush();
    if (span <= kMostDots) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.theme.rotated);
        for (double position = std::ceil(picture.range.minimum); position <= picture.range.maximum; position += 1) {
            painter.drawEllipse(space.at(space.helix(position)), style.units(1.7), style.units(1.7));
        }
        painter.setBrush(Qt::NoBrush);
    }
}

void drawMark(QPainter& painter, const Projection& space, const HelixPicture& picture, double position,
              const QString& text, const QColor& color, bool above, const FigureStyle& style) {
    if (position < picture.range.minimum || position > picture.range.maximum) {
        return;
    }
    const Space point = space.helix(position);
    const QPointF axis = space.at({point.along, 0, 0});
    const QPointF at = space.at(point);
    painter.setPen(QPen(color, style.units(1.5), Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(axis, at);
    painter.setBrush(color);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(at, style.units(3.4), style.units(3.4));
    painter.setBrush(Qt::NoBrush);
    if (!style.onScreen) return;  // a legend says which dot is which, so that no curve is covered
    const TextMetrics metrics(painter.font());
    // Both labels keep their side, so that they do not meet where m and n are close.
    const double away = style.units(7);
    const double base = above ? at.y() - away : at.y() + away + metrics.ascent();
    const QRectF box(at.x() - metrics.horizontalAdvance(text) / 2 - style.units(2), base - metrics.ascent(),
                     metrics.horizontalAdvance(text) + style.units(4), metrics.height());
    QColor paper = style.theme.paper;
    paper.setAlphaF(0.8F);
    painter.fillRect(box, paper);
    painter.setPen(color);
    painter.drawText(QPointF(box.left() + style.units(2), base), text);
}

/// On paper: the dots of m and n.
void drawLegend(QPainter& painter, const QRectF& line, const HelixPicture& picture, const FigureStyle& style) {
    double x = line.left();
    const auto entry = [&](const QString& text, const QColor& color) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(QPointF(x + style.units(4), line.center().y()), style.units(3.4), style.units(3.4));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(color);
        x += style.units(11);
        painter.drawText(QRectF(x, line.top(), line.width(), line.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += TextMetrics(painter.font()).horizontalAdvance(text) + style.units(14);
    };
    entry(u"m = %1"_s.arg(readableCount(picture.m)), style.theme.query);
    entry(u"n = %1"_s.arg(readableCount(picture.n)), style.theme.key);
}

void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style, const HelixPicture& picture) {
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    painter.setFont(font);
    if (!picture.empty.isEmpty()) {
        painter.setPen(style.theme.quietText);
        painter.drawText(rect, Qt::AlignCenter | Qt::TextWordWrap, picture.empty);
        return;
    }
    const double line = style.units(style.onScreen ? kLine : kPrintedLine * style.tickPt);
    const double gap = style.units(12);
    const QRectF top(rect.left(), rect.top(), rect.width(), line);
    const QString title = style.onScreen ? picture.title : picture.title + kPrintedWords;
    const double used = rotation::drawTitle(painter, top, style, title) + gap;
    if (style.onScreen && used + metrics.horizontalAdvance(picture.note) <= top.width()) {
        painter.setPen(style.theme.quietText);
        painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, picture.note);
    }
    const double side = style.units(kMargin);
    const double edge = style.units(kLine - 2);
    auto lines = static_cast<double>(rotation::titleLines(title, rect.width(), style).size());
    if (!style.onScreen) drawLegend(painter, top.translated(0, lines++ * line), picture, style);
    const Projection space(picture, rect.adjusted(side, lines * line + edge, -side, -edge));
    drawFrame(painter, space, picture, style);
    drawCurve(painter, space, picture, style);
    drawTicks(painter, space, picture, style);
    drawMark(painter, space, picture, picture.n, u"n = %1"_s.arg(readableCount(picture.n)), style.theme.key, false,
             style);
    drawMark(painter, space, picture, picture.m, u"m = %1"_s.arg(readableCount(picture.m)), style.theme.query, true,
             style);
}

}  // namespace

Range helixRange(const RotationScene& scene) {
    const auto pair = scene.enlargedPair();
    const auto m = static_cast<double>(scene.state.m);
    const double last =
        std::max({1.0, static_cast<double>(scene.setup.context - 1), m, static_cast<double>(scene.state.n)});
    const double frequency = pair ? scene.frequency(*pair) : 0.0;
    const double width = frequency > 0 ? kMostPeriods * 2 * std::numbers::pi / frequency : last;
    if (width >= last) {
        return {0, last};
    }
    const double low = std::clamp(m - width / 2, 0.0, last - width);
    return {low, low + width};
}

Figure helixFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"helix"_s, scene);
    figure.table = FigureTable::of({u"position (tokens)"_s, u"cos"_s, u"sin"_s});
    HelixPicture picture;
    if (const auto pair = scene.enlargedPair()) {
        const double frequency = scene.frequency(*pair);
        picture.range = helixRange(scene);
        picture.frequency = frequency;
        picture.m = static_cast<double>(scene.state.m);
        picture.n = static_cast<double>(scene.state.n);
        picture.yaw = scene.state.yaw;
        picture.pitch = scene.state.pitch;
        const double periods = periodsInContext(scene, *pair);
        const double shown = (picture.range.maximum - picture.range.minimum) * frequency / (2 * std::numbers::pi);
        picture.title = frequency > 0
                            ? u"pair %1: wavelength %2, %3 periods in the context of %4 tokens"_s.arg(*pair).arg(
                                  wavelengthText(frequency), readableNumber(periods), groupedText(scene.setup.context))
                            : u"pair %1 is not rotated: its curve is a straight line"_s.arg(*pair);
        if (shown < periods * 0.99) {
            picture.note = u"%1 periods around the position m are shown"_s.arg(readableCount(std::round(shown)));
        } else {
            picture.note = u"axis: position [tokens]; drag to rotate the view"_s;
        }
        figure.summary = u"Helix of "_s + picture.title + kPrintedWords + QLatin1Char('.');
        // The exported table has at most about 1,024 rows, at integer positions.
        const double span = picture.range.maximum - picture.range.minimum;
        const double step = std::max(1.0, std::ceil(span / 1024));
        for (double at = std::ceil(picture.range.minimum); at <= picture.range.maximum; at += step) {
            figure.table.addRow({at, std::cos(at * frequency), std::sin(at * frequency)});
        }
    } else {
        picture.empty = u"At fraction 0 no pair is rotated, so there is no helix."_s;
        figure.summary = picture.empty;
    }
    figure.drawing = rotation::drawing(std::move(picture), paint);
    return figure;
}

}  // namespace ropelab::ui
