#include "ui/figure/figure_annotations.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/figure/figure_backdrop.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

// Points.
constexpr double kGap = 5;
constexpr double kSwatch = 14;
constexpr double kShareWithValues = 0.36;
constexpr double kLargestShare = 0.44;
constexpr int kRowsOfWords = 4;  // under each other, for a line upwards

/// The last point that can be drawn.
std::optional<qsizetype> lastDrawn(const FigureCurve& curve, const AxisScale& x, const AxisScale& y) {
    for (qsizetype i = std::min(curve.x.size(), curve.y.size()) - 1; i >= 0; --i) {
        if (std::isfinite(x.toDevice(curve.x[i])) && std::isfinite(y.toDevice(curve.y[i]))) {
            return i;
        }
    }
    return std::nullopt;
}

bool isLabelled(const FigureCurve& curve) {
    return !curve.label.isEmpty() && (!curve.companion || curve.isNamed) && curve.shape == FigureCurve::Shape::line;
}

/// Whether its words stand where curves' labels do; a map's key takes that place.
bool standsAtEnd(const FigureLine& line, const Figure& figure) {
    return line.wordsAtEnd && !line.label.isEmpty() && !figure.map;
}

}  // namespace

FigureAnnotations::FigureAnnotations(QCustomPlot* plot, const QString& layer) : QCPLayerable(plot, layer) {}

FigureAnnotations::EndRoom FigureAnnotations::roomOfEndLabels(const Figure& figure, const FigureStyle& style,
                                                              double plotWidth) {
    const QFontMetricsF metrics(style.font(style.tickPt));
    double label = 0;
    double value = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (!isLabelled(curve)) {
            continue;
        }
        label = std::max(label, metrics.horizontalAdvance(curve.label));
        for (qsizetype i = curve.y.size() - 1; i >= 0; --i) {
            if (std::isfinite(curve.y[i]) && (!figure.y.logarithmic || curve.y[i] > 0)) {
                value = std::max(value, metrics.horizontalAdvance(readableNumber(curve.y[i])));
                break;
            }
        }
    }
    double words = 0;
    for (const FigureLine& line : figure.horizontalLines) {
        words = standsAtEnd(line, figure) ? std::max(words, metrics.horizontalAdvance(line.label)) : words;
    }
    const double key = FigureBackdrop::roomOfKey(figure, style);
    if ((label == 0 && words == 0) || key > 0) {
        return {std::max(key, style.units(3 * kGap)), false};
    }
    const double line = words > 0 ? words + style.units(2.4 * kGap) : 0;
    const double withoutValue = label > 0 ? label + style.units(3.6 * kGap + kSwatch) : 0;
    const double withValue = withoutValue + (label > 0 ? value + style.units(1.4 * kGap) : 0);
    if (std::max(line, withValue) <= plotWidth * kShareWithValues) {
        return {std::max(line, withValue), label > 0};
    }
    return {std::min(std::max(line, withoutValue), plotWidth * kLargestShare), false};
}

void FigureAnnotations::set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y,
                            const QList<Polyline>& drawn) {
    m_style = style;
    m_head = FigureHead(figure, style, mParentPlot->viewport().size());
    m_emptyText = isEmpty(figure) ? figure.emptyText : QString();
    m_showsValues = roomOfEndLabels(figure, style, mParentPlot->viewport().width()).values;
    m_vertical = figure.verticalLines;
    m_horizontal = figure.horizontalLines;
    m_x = x;
    m_y = y;
    m_ends.clear();
    m_points.clear();
    m_drawn.clear();
    m_isConnected.clear();
    if (figure.drawing) {
        m_vertical.clear();
        m_horizontal.clear();
        return;
    }
    if (figure.map) {  // the key stands where labels would
        return;
    }
    m_drawn = drawn;
    for (const FigureCurve& curve : figure.curves) {
        m_isConnected.append(curve.shape == FigureCurve::Shape::line);
        if (curve.shape == FigureCurve::Shape::points && !curve.label.isEmpty() && curve.x.size() == 1 &&
            x.contains(curve.x.first()) && y.contains(curve.y.first())) {
            m_points.append({curve.label,
                             {x.toDevice(curve.x.first()), y.toDevice(curve.y.first())},
                             style.units(curve.pointPt / 2)});
        }
        const auto last = isLabelled(curve) ? lastDrawn(curve, x, y) : std::nullopt;
        if (last) {
            const QPointF end(std::clamp(x.toDevice(curve.x[*last]), 0.0, x.length),
                              std::clamp(y.toDevice(curve.y[*last]), 0.0, y.length));
            m_ends.append({curve.label, readableNumber(curve.y[*last]), end, style.penOf(curve),
                           curve.emphasis == FigureCurve::Emphasis::dimmed, false});
        }
    }
    for (FigureLine& line : m_horizontal) {
        if (standsAtEnd(line, figure) && y.contains(line.at)) {
            m_ends.append(
                {line.label, {}, {x.length, y.toDevice(line.at)}, QPen(style.colorOf(line.ink)), false, true});
            line.label.clear();
        }
    }
    // From the top down; ties keep the figure's order.
    std::stable_sort(m_ends.begin(), m_ends.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.end.y() > b.end.y(); });
}

void FigureAnnotations::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void FigureAnnotations::draw(QCPPainter* painter) {
    const QRectF axes(mParentPlot->axisRect()->rect());
    m_places = {};
    m_head.draw(*painter, axes, QRectF(mParentPlot->viewport()));
    drawLines(painter, axes);
    drawPointLabels(painter, axes);
    drawEndLabels(painter, axes);
}

void FigureAnnotations::drawEmptyText(QCPPainter* painter, const QRectF& axes) {
    if (m_emptyText.isEmpty()) {
        return;
    }
    const QFont font = m_style.font(m_style.labelPt);
    const double edge = m_style.units(2);
    const QRectF box = QFontMetricsF(font).boundingRect(axes, Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    painter->setFont(font);
    painter->fillRect(box.adjusted(-edge, -edge, edge, edge), m_style.theme.paper);
    painter->setPen(m_style.theme.quietText);
    painter->drawText(axes, Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    m_places.take(box);
}

void FigureAnnotations::addStrokes(const QRectF& axes) {
    for (qsizetype i = 0; i < m_drawn.size(); ++i) {
        const Polyline& line = m_drawn[i];
        QPointF before;
        bool isGoingOn = false;
        for (qsizetype j = 0; j < std::min(line.x.size(), line.y.size()); ++j) {
            const QPointF here(axes.left() + m_x.toDevice(line.x[j]), axes.bottom() - m_y.toDevice(line.y[j]));
            const bool isDrawn = std::isfinite(here.x()) && std::isfinite(here.y());
            if (isDrawn && !m_isConnected[i]) {
                m_places.addPoint(here);
            } else if (isDrawn && isGoingOn) {
                m_places.addStroke(before, here);
            }
            before = here;
            isGoingOn = isDrawn;
        }
    }
}

void FigureAnnotations::drawLines(QCPPainter* painter, const QRectF& axes) {
    const auto drawLine = [&](const FigureLine& line, const QPointF& from, const QPointF& to) {
        // What can be dragged is a full line.
        const bool isHandle = !line.handle.isEmpty();
        QPen pen(m_style.colorOf(line.ink), m_style.units(m_style.hairPt * (isHandle ? 2 : 1.4)));
        pen.setCapStyle(Qt::FlatCap);
        if (!isHandle || !m_style.onScreen) {
            pen.setDashPattern({5, 4});
        }
        painter->setPen(pen);
        painter->drawLine(from, to);
        m_places.addStroke(from, to);
    };
    bool anyWords = !m_points.isEmpty();
    for (const FigureLine& line : m_horizontal) {
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (m_y.contains(line.at) && std::isfinite(y)) {
            drawLine(line, {axes.left(), y}, {axes.right(), y});
            anyWords = anyWords || !line.label.isEmpty();
        }
    }
    for (const FigureLine& line : m_vertical) {
        const double x = axes.left() + m_x.toDevice(line.at);
        if (m_x.contains(line.at) && std::isfinite(x)) {
            drawLine(line, {x, axes.top()}, {x, axes.bottom()});
            anyWords = anyWords || !line.label.isEmpty();
        }
    }
    drawEmptyText(painter, axes);
    if (!anyWords) {
        return;
    }
    addStrokes(axes);
    const QFontMetricsF metrics(m_style.font(m_style.tickPt));
    const double gap = m_style.units(kGap);
    const double edge = m_style.units(1);
    for (const FigureLine& line : m_horizontal) {
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (line.label.isEmpty() || !m_y.contains(line.at) || !std::isfinite(y)) {
            continue;
        }
        const double width = metrics.horizontalAdvance(line.label);
        const double room = axes.width() - 2 * gap - width;
        QList<QRectF> wishes;
        for (const double share : {0.0, 1.0, 0.5, 0.25, 0.75}) {
            const double left = axes.left() + gap + std::max(0.0, share * room);
            for (const double top : {y + m_style.units(3), y - m_style.units(3) - metrics.height()}) {
                if (top >= axes.top() && top + metrics.height() < axes.bottom() - edge) {
                    wishes.append(QRectF(left, top, width, metrics.height()));
                }
            }
        }
        writeLabel(painter, wishes, line.label, m_style.colorOf(line.ink));
    }
    for (const FigureLine& line : m_vertical) {
        const double x = axes.left() + m_x.toDevice(line.at);
        if (line.label.isEmpty() || !m_x.contains(line.at) || !std::isfinite(x)) {
            continue;
        }
        const double width = metrics.horizontalAdvance(line.label);
        QList<QRectF> wishes;
        const auto add = [&](double left, int row) {
            const double top = axes.top() + m_style.units(2) + row * (metrics.height() + edge);
            if (left >= axes.left() && left + width <= axes.right() && top + metrics.height() <= axes.bottom()) {
                wishes.append(QRectF(left, top, width, metrics.height()));
            }
        };
        for (int row = 0; row < kRowsOfWords; ++row) {
            add(x + gap, row);
            add(x - gap - width, row);
        }
        if (wishes.isEmpty()) {  // wider than the axes' halves
            wishes.append(QRectF(std::clamp(x + gap, axes.left(), std::max(axes.left(), axes.right() - width)),
                                 axes.top() + m_style.units(2), width, metrics.height()));
        }
        writeLabel(painter, wishes, line.label, m_style.colorOf(line.ink));
    }
}

void FigureAnnotations::drawPointLabels(QCPPainter* painter, const QRectF& axes) {
    const QFontMetricsF metrics(m_style.font(m_style.tickPt));
    for (const PointLabel& point : m_points) {
        const QPointF at(axes.left() + point.at.x(), axes.bottom() - point.at.y());
        const double width = metrics.horizontalAdvance(point.label);
        const double off = point.radius + m_style.units(2);
        QList<QRectF> wishes;
        for (const QPointF& corner :
             {at + QPointF(off, -metrics.height() / 2), at + QPointF(-off - width, -metrics.height() / 2),
              at + QPointF(-width / 2, -off - metrics.height()), at + QPointF(-width / 2, off),
              at + QPointF(off, -off - metrics.height()), at + QPointF(-off - width, -off - metrics.height()),
              at + QPointF(off, off), at + QPointF(-off - width, off)}) {
            const QRectF box(corner, QSizeF(width, metrics.height()));
            if (axes.contains(box)) {
                wishes.append(box);
            }
        }
        writeLabel(painter, wishes, point.label, m_style.theme.text, true);
    }
}

void FigureAnnotations::writeLabel(QCPPainter* painter, const QList<QRectF>& wishes, const QString& words,
                                   const QColor& ink, bool sparesPoints) {
    const auto box = m_places.place(wishes, sparesPoints);
    if (!box) {
        return;
    }
    const QFont font = m_style.font(m_style.tickPt);
    // Paper behind the words: curves may pass there.
    QColor paper = m_style.theme.paper;
    paper.setAlphaF(0.8F);
    painter->fillRect(box->adjusted(-m_style.units(2), 0, m_style.units(2), 0), paper);
    painter->setFont(font);
    painter->setPen(ink);
    painter->drawText(QPointF(box->left(), box->top() + QFontMetricsF(font).ascent()), words);
}

void FigureAnnotations::drawEndLabels(QCPPainter* painter, const QRectF& axes) const {
    if (m_ends.isEmpty()) {
        return;
    }
    const QFont font = m_style.font(m_style.tickPt);
    const QFontMetricsF metrics(font);
    const double gap = metrics.height() * 1.05;
    const double top = axes.top();
    const double last = std::max(top, axes.bottom() - metrics.height() * 0.3);

    // Where there is no room for all, every second, third … one is named, and the last row says that there are others.
    const auto rows = std::max<qsizetype>(1, static_cast<qsizetype>((last - top) / gap) + 1);
    const bool isTight = rows < m_ends.size();
    const qsizetype room = isTight ? std::max<qsizetype>(1, rows - 1) : rows;
    const double bottom = isTight ? std::max(top, last - gap) : last;
    const qsizetype stride = (m_ends.size() + room - 1) / room;
    QList<EndLabel> shown;
    QList<double> wanted;
    for (qsizetype i = 0; i < m_ends.size(); i += stride) {
        shown.append(m_ends[i]);
        wanted.append(axes.bottom() - m_ends[i].end.y());
    }
    const QList<double> places = spread(wanted, gap, top, bottom);

    double valueWidth = 0;
    for (const EndLabel& each : shown) {  // a line has its value in its words
        valueWidth = std::max(valueWidth, metrics.horizontalAdvance(each.value));
    }
    valueWidth = m_showsValues ? valueWidth : 0;
    const double right = mParentPlot->viewport().right() - m_style.units(kGap);
    const double swatch = axes.right() + m_style.units(kGap * 1.2);
    const double besideSwatch = swatch + m_style.units(kSwatch + kGap * 0.8);
    QStringList labels;
    QList<double> widths;
    for (const EndLabel& each : shown) {
        labels << each.label;
        widths << right - (each.isLine ? swatch : besideSwatch) -
                      (each.isLine || valueWidth == 0 ? 0 : valueWidth + m_style.units(kGap));
    }
    labels = labelsWithin(labels, widths, metrics);
    painter->setFont(font);
    const double toBase = (metrics.ascent() - metrics.descent()) / 2;
    if (isTight) {
        painter->setPen(m_style.theme.quietText);
        painter->drawText(QPointF(besideSwatch, last + toBase),
                          QObject::tr("and %1 more").arg(m_ends.size() - shown.size()));
    }
    for (qsizetype i = 0; i < shown.size(); ++i) {
        const EndLabel& each = shown[i];
        const double y = places[i];
        const QPointF end(axes.left() + each.end.x(), axes.bottom() - each.end.y());

        const double text = each.isLine ? swatch : besideSwatch;

        // Grey and sparse, so that nobody takes it for more of the curve.
        QColor faint = m_style.theme.quietText;
        faint.setAlphaF(each.dimmed ? 0.2F : 0.6F);
        QPen leader(faint, m_style.units(m_style.hairPt));
        leader.setCapStyle(Qt::FlatCap);
        leader.setDashPattern({1.5, 4});
        painter->setPen(leader);
        if (axes.right() - end.x() > m_style.units(1)) {
            painter->drawLine(end, QPointF(axes.right(), end.y()));
        }
        painter->drawLine(QPointF(axes.right(), end.y()), QPointF(swatch, y));

        if (!each.isLine) {
            painter->setPen(each.pen);
            painter->drawLine(QPointF(swatch, y), QPointF(swatch + m_style.units(kSwatch), y));
        }
        QColor ink = each.isLine ? each.pen.color() : m_style.theme.text;
        ink.setAlphaF(each.dimmed ? 0.45F : 1.0F);
        painter->setPen(ink);
        const double base = y + toBase;
        painter->drawText(QPointF(text, base), labels[i]);
        if (m_showsValues && !each.isLine) {
            painter->drawText(QPointF(right - metrics.horizontalAdvance(each.value), base), each.value);
        }
    }
}

}  // namespace ropelab::ui
