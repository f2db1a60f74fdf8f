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
    return !curve.label.isEmpty() && !curve.companion && curve.shape == FigureCurve::Shape::line;
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
    const double key = FigureBackdrop::roomOfKey(figure, style);
    if (label == 0 || key > 0) {
        return {std::max(key, style.units(3 * kGap)), false};
    }
    const double withoutValue = label + style.units(3.6 * kGap + kSwatch);
    const double withValue = withoutValue + value + style.units(1.4 * kGap);
    if (withValue <= plotWidth * kShareWithValues) {
        return {withValue, true};
    }
    return {std::min(withoutValue, plotWidth * kLargestShare), false};
}

void FigureAnnotations::set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y) {
    m_style = style;
    m_yTitle = figure.y.title();
    m_note = figure.note;
    m_emptyText = isEmpty(figure) ? figure.emptyText : QString();
    m_showsValues = roomOfEndLabels(figure, style, mParentPlot->viewport().width()).values;
    m_vertical = figure.verticalLines;
    m_horizontal = figure.horizontalLines;
    m_x = x;
    m_y = y;
    m_ends.clear();
    if (figure.drawing || figure.map) {  // the key stands where labels would
        if (figure.drawing) {
            m_yTitle.clear();
            m_note.clear();
            m_vertical.clear();
            m_horizontal.clear();
        }
        return;
    }
    for (const FigureCurve& curve : figure.curves) {
        const auto last = isLabelled(curve) ? lastDrawn(curve, x, y) : std::nullopt;
        if (last) {
            const QPointF end(std::clamp(x.toDevice(curve.x[*last]), 0.0, x.length),
                              std::clamp(y.toDevice(curve.y[*last]), 0.0, y.length));
            m_ends.append({curve.label, readableNumber(curve.y[*last]), end, style.penOf(curve),
                           curve.emphasis == FigureCurve::Emphasis::dimmed});
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
    drawTitles(painter, axes);
    drawLines(painter, axes);
    drawEndLabels(painter, axes);
}

void FigureAnnotations::drawTitles(QCPPainter* painter, const QRectF& axes) const {
    const QFont font = m_style.font(m_style.labelPt);
    const QFontMetricsF metrics(font);
    const double left = m_style.units(kGap);
    const double base = axes.top() - m_style.units(8) - metrics.descent();
    const double width = mParentPlot->viewport().width() - left - m_style.units(kGap);
    painter->setFont(font);
    painter->setPen(m_style.theme.text);
    const QString title = metrics.elidedText(m_yTitle, Qt::ElideRight, width);
    painter->drawText(QPointF(left, base), title);
    if (!m_emptyText.isEmpty()) {
        painter->setPen(m_style.theme.quietText);
        painter->drawText(axes, Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    }
    const double noteLeft = left + metrics.horizontalAdvance(title) + m_style.units(3 * kGap);
    const double noteRoom = width + left - noteLeft;
    if (!m_note.isEmpty() && noteRoom > m_style.units(30)) {
        const QFont quiet = m_style.font(m_style.tickPt);
        painter->setFont(quiet);
        painter->setPen(m_style.theme.quietText);
        painter->drawText(QPointF(noteLeft, base), QFontMetricsF(quiet).elidedText(m_note, Qt::ElideRight, noteRoom));
    }
}

void FigureAnnotations::drawLines(QCPPainter* painter, const QRectF& axes) const {
    const QFont font = m_style.font(m_style.tickPt);
    const QFontMetricsF metrics(font);
    const auto penOf = [this](const FigureLine& line) {
        // What can be dragged is a full line.
        const bool isHandle = !line.handle.isEmpty();
        QPen pen(m_style.colorOf(line.ink), m_style.units(m_style.hairPt * (isHandle ? 2 : 1.4)));
        pen.setCapStyle(Qt::FlatCap);
        if (!isHandle || !m_style.onScreen) {
            pen.setDashPattern({5, 4});
        }
        return pen;
    };
    painter->setFont(font);
    const auto write = [&](QPointF base, const QString& text, Ink ink) {
        if (text.isEmpty()) {
            return;
        }
        // Paper behind the words: curves may pass there.
        QRectF box(base.x(), base.y() - metrics.ascent(), metrics.horizontalAdvance(text), metrics.height());
        QColor paper = m_style.theme.paper;
        paper.setAlphaF(0.8F);
        painter->fillRect(box.adjusted(-m_style.units(2), 0, m_style.units(2), 0), paper);
        painter->setPen(m_style.colorOf(ink));
        painter->drawText(base, text);
    };
    for (const FigureLine& line : m_horizontal) {
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (!m_y.contains(line.at) || !std::isfinite(y)) {
            continue;
        }
        painter->setPen(penOf(line));
        painter->drawLine(QPointF(axes.left(), y), QPointF(axes.right(), y));
        const double above = y - m_style.units(3) - metrics.descent();
        const double below = y + m_style.units(3) + metrics.ascent();
        const bool hasRoomBelow = below + metrics.descent() < axes.bottom() - m_style.units(1);
        write(QPointF(axes.left() + m_style.units(kGap), hasRoomBelow ? below : above), line.label, line.ink);
    }
    // Labels of neighbouring lines go one beneath the other.
    std::vector<QRectF> taken;
    const auto labelBase = [&](double x, double width) {
        QRectF box(x - width, axes.top(), 2 * width + m_style.units(2 * kGap), metrics.height());
        for (bool moved = true; moved;) {
            moved = false;
            for (const QRectF& other : taken) {
                if (box.intersects(other)) {
                    box.moveTop(other.bottom() + m_style.units(1));
                    moved = true;
                }
            }
        }
        taken.push_back(box);
        return box.top() + metrics.ascent() + m_style.units(2);
    };
    for (const FigureLine& line : m_vertical) {
        const double x = axes.left() + m_x.toDevice(line.at);
        if (!m_x.contains(line.at) || !std::isfinite(x)) {
            continue;
        }
        painter->setPen(penOf(line));
        painter->drawLine(QPointF(x, axes.top()), QPointF(x, axes.bottom()));
        const double width = metrics.horizontalAdvance(line.label);
        const bool fitsRight = x + m_style.units(kGap) + width < axes.right();
        write(QPointF(fitsRight ? x + m_style.units(kGap) : x - m_style.units(kGap) - width, labelBase(x, width)),
              line.label, line.ink);
    }
}

void FigureAnnotations::drawEndLabels(QCPPainter* painter, const QRectF& axes) const {
    if (m_ends.isEmpty()) {
        return;
    }
    const QFont font = m_style.font(m_style.tickPt);
    const QFontMetricsF metrics(font);
    const double gap = metrics.height() * 1.05;
    const double top = axes.top();
    const double bottom = std::max(top, axes.bottom() - metrics.height() * 0.3);

    // Where there is no room for all, every second, third … one is named; the legend has the others.
    const auto room = std::max<qsizetype>(1, static_cast<qsizetype>((bottom - top) / gap) + 1);
    const qsizetype stride = (m_ends.size() + room - 1) / room;
    QList<EndLabel> shown;
    QList<double> wanted;
    for (qsizetype i = 0; i < m_ends.size(); i += stride) {
        shown.append(m_ends[i]);
        wanted.append(axes.bottom() - m_ends[i].end.y());
    }
    const QList<double> places = spread(wanted, gap, top, bottom);

    double valueWidth = 0;
    for (const EndLabel& each : shown) {
        valueWidth = m_showsValues ? std::max(valueWidth, metrics.horizontalAdvance(each.value)) : 0;
    }
    const double right = mParentPlot->viewport().right() - m_style.units(kGap);
    const double swatch = axes.right() + m_style.units(kGap * 1.2);
    const double text = swatch + m_style.units(kSwatch + kGap * 0.8);
    const double labelRoom = right - text - (m_showsValues ? valueWidth + m_style.units(kGap) : 0);
    painter->setFont(font);
    for (qsizetype i = 0; i < shown.size(); ++i) {
        const EndLabel& each = shown[i];
        const double y = places[i];
        const QPointF end(axes.left() + each.end.x(), axes.bottom() - each.end.y());

        QPen leader(each.pen.color(), m_style.units(m_style.hairPt));
        leader.setCapStyle(Qt::FlatCap);
        leader.setDashPattern({1.5, 3});
        QColor faint = leader.color();
        faint.setAlphaF(faint.alphaF() * 0.7F);
        leader.setColor(faint);
        painter->setPen(leader);
        if (axes.right() - end.x() > m_style.units(1)) {
            painter->drawLine(end, QPointF(axes.right(), end.y()));
        }
        painter->drawLine(QPointF(axes.right(), end.y()), QPointF(swatch, y));

        painter->setPen(each.pen);
        painter->drawLine(QPointF(swatch, y), QPointF(swatch + m_style.units(kSwatch), y));

        QColor ink = m_style.theme.text;
        ink.setAlphaF(each.dimmed ? 0.45F : 1.0F);
        painter->setPen(ink);
        const double base = y + (metrics.ascent() - metrics.descent()) / 2;
        painter->drawText(QPointF(text, base), metrics.elidedText(each.label, Qt::ElideRight, labelRoom));
        if (m_showsValues) {
            painter->drawText(QPointF(right - metrics.horizontalAdvance(each.value), base), each.value);
        }
    }
}

}  // namespace ropelab::ui
