#include "ui/figure/figure_annotations.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/figure/figure_backdrop.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

// Sizes in points.
constexpr double kNoteGap = 5;
constexpr double kNoteSwatch = 14;
constexpr double kMaxFractionWithValues = 0.36;
constexpr double kMaxFraction = 0.44;
constexpr int kLabelRows = 4;   // rows at the top of the axes in which labels of vertical lines are placed
constexpr int kPickedRows = 8;  // rows above and below a picked point in which its label is placed

/// Returns the index of a curve's last point that can be drawn.
std::optional<qsizetype> lastDrawn(const FigureCurve& curve, const AxisScale& x, const AxisScale& y) {
    for (qsizetype i = std::min(curve.x.size(), curve.y.size()) - 1; i >= 0; --i) {
        if (std::isfinite(x.toDevice(curve.x[i])) && std::isfinite(y.toDevice(curve.y[i]))) {
            return i;
        }
    }
    return std::nullopt;
}

/// Returns whether a curve has an end label.
bool isLabelled(const FigureCurve& curve) {
    return !curve.label.isEmpty() && (!curve.companion || curve.isNamed) && curve.shape == FigureCurve::Shape::line;
}

/// Returns whether the line's label is among the end labels. A map has a colour bar there instead.
bool isLabelAtEnd(const FigureLine& line, const Figure& figure) {
    return line.labelAtEnd && !line.label.isEmpty() && !figure.map;
}

}  // namespace

FigureAnnotations::FigureAnnotations(QCustomPlot* plot, const QString& layer) : QCPLayerable(plot, layer) {}

FigureAnnotations::EndMargin FigureAnnotations::endLabelMargin(const Figure& figure, const FigureStyle& style,
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
    double lineLabel = 0;
    for (const FigureLine& line : figure.horizontalLines) {
        lineLabel = isLabelAtEnd(line, figure) ? std::max(lineLabel, metrics.horizontalAdvance(line.label)) : lineLabel;
    }
    const double colorBar = FigureBackdrop::colorBarWidth(figure, style);
    if ((label == 0 && lineLabel == 0) || colorBar > 0) {
        return {std::max(colorBar, style.units(3 * kNoteGap)), false};
    }
    const double line = lineLabel > 0 ? lineLabel + style.units(2.4 * kNoteGap) : 0;
    const double withoutValue = label > 0 ? label + style.units(3.6 * kNoteGap + kNoteSwatch) : 0;
    const double withValue = withoutValue + (label > 0 ? value + style.units(1.4 * kNoteGap) : 0);
    if (std::max(line, withValue) <= plotWidth * kMaxFractionWithValues) {
        return {std::max(line, withValue), label > 0};
    }
    return {std::min(std::max(line, withoutValue), plotWidth * kMaxFraction), false};
}

void FigureAnnotations::set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y,
                            const QList<Polyline>& drawn) {
    m_style = style;
    m_head = FigureHead(figure, style, mParentPlot->viewport().size());
    m_emptyText = isEmpty(figure) ? figure.emptyText : QString();
    m_showsValues = endLabelMargin(figure, style, mParentPlot->viewport().width()).values;
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
    if (figure.map) {  // the colour bar replaces the end labels
        return;
    }
    m_drawn = drawn;
    for (const FigureCurve& curve : figure.curves) {
        m_isConnected.append(curve.shape == FigureCurve::Shape::line);
        if (curve.shape == FigureCurve::Shape::points && !curve.label.isEmpty() && curve.x.size() == 1 &&
            x.contains(curve.x.first()) && y.contains(curve.y.first())) {
            m_points.append({curve.label,
                             {x.toDevice(curve.x.first()), y.toDevice(curve.y.first())},
                             style.units(curve.pointPt / 2),
                             curve.emphasis == FigureCurve::Emphasis::picked,
                             curve.companion});
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
        if (isLabelAtEnd(line, figure) && y.contains(line.at)) {
            m_ends.append(
                {line.label, {}, {x.length, y.toDevice(line.at)}, QPen(style.colorOf(line.ink)), false, true});
            line.label.clear();
        }
    }
    // The labels of picked points are placed first.
    std::stable_partition(m_points.begin(), m_points.end(), [](const PointLabel& point) { return point.isPicked; });
    // Sorted from top to bottom; curves with equal ends keep the figure's order.
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
    m_places.occupy(box);
}

void FigureAnnotations::addStrokes(const QRectF& axes) {
    for (qsizetype i = 0; i < m_drawn.size(); ++i) {
        const Polyline& line = m_drawn[i];
        QPointF before;
        bool isPreviousDrawn = false;
        for (qsizetype j = 0; j < std::min(line.x.size(), line.y.size()); ++j) {
            const QPointF here(axes.left() + m_x.toDevice(line.x[j]), axes.bottom() - m_y.toDevice(line.y[j]));
            const bool isDrawn = std::isfinite(here.x()) && std::isfinite(here.y());
            if (isDrawn && !m_isConnected[i]) {
                m_places.addPoint(here);
            } else if (isDrawn && isPreviousDrawn) {
                m_places.addStroke(before, here);
            }
            before = here;
            isPreviousDrawn = isDrawn;
        }
    }
}

void FigureAnnotations::drawLines(QCPPainter* painter, const QRectF& axes) {
    const auto drawLine = [&](const FigureLine& line, const QPointF& from, const QPointF& to) {
        // Lines that can be dragged are solid.
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
    bool hasLabels = !m_points.isEmpty();
    for (const FigureLine& line : m_horizontal) {
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (m_y.contains(line.at) && std::isfinite(y)) {
            drawLine(line, {axes.left(), y}, {axes.right(), y});
            hasLabels = hasLabels || !line.label.isEmpty();
        }
    }
    for (const FigureLine& line : m_vertical) {
        const double x = axes.left() + m_x.toDevice(line.at);
        if (m_x.contains(line.at) && std::isfinite(x)) {
            drawLine(line, {x, axes.top()}, {x, axes.bottom()});
            hasLabels = hasLabels || !line.label.isEmpty();
        }
    }
    drawEmptyText(painter, axes);
    if (!hasLabels) {
        return;
    }
    addStrokes(axes);
    const QFont font = m_style.font(m_style.tickPt);
    const QFontMetricsF metrics(font);
    const double gap = m_style.units(kNoteGap);
    const double edge = m_style.units(1);
    for (const FigureLine& line : m_horizontal) {
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (line.label.isEmpty() || !m_y.contains(line.at) || !std::isfinite(y)) {
            continue;
        }
        // A label that is wider than the axes would cover the labels of the curves' ends.
        const QString label = metrics.elidedText(line.label, Qt::ElideMiddle, axes.width() - 2 * gap);
        const double width = metrics.horizontalAdvance(label);
        const double space = axes.width() - 2 * gap - width;
        QList<QRectF> candidates;
        for (const double fraction : {0.0, 1.0, 0.5, 0.25, 0.75}) {
            const double left = axes.left() + gap + std::max(0.0, fraction * space);
            for (const double top : {y + m_style.units(3), y - m_style.units(3) - metrics.height()}) {
                if (top >= axes.top() && top + metrics.height() < axes.bottom() - edge) {
                    candidates.append(QRectF(left, top, width, metrics.height()));
                }
            }
        }
        drawLabel(painter, candidates, label, m_style.colorOf(line.ink), font);
    }
    for (const FigureLine& line : m_vertical) {
        const double x = axes.left() + m_x.toDevice(line.at);
        if (line.label.isEmpty() || !m_x.contains(line.at) || !std::isfinite(x)) {
            continue;
        }
        const double width = metrics.horizontalAdvance(line.label);
        QList<QRectF> candidates;
        const auto add = [&](double left, int row) {
            const double top = axes.top() + m_style.units(2) + row * (metrics.height() + edge);
            if (left >= axes.left() && left + width <= axes.right() && top + metrics.height() <= axes.bottom()) {
                candidates.append(QRectF(left, top, width, metrics.height()));
            }
        };
        for (int row = 0; row < kLabelRows; ++row) {
            add(x + gap, row);
            add(x - gap - width, row);
        }
        if (candidates.isEmpty()) {  // the label fits on neither side of the line
            candidates.append(QRectF(std::clamp(x + gap, axes.left(), std::max(axes.left(), axes.right() - width)),
                                     axes.top() + m_style.units(2), width, metrics.height()));
        }
        drawLabel(painter, candidates, line.label, m_style.colorOf(line.ink), font);
    }
}

void FigureAnnotations::drawPointLabels(QCPPainter* painter, const QRectF& axes) {
    for (const PointLabel& point : m_points) {
        QFont font = m_style.font(m_style.tickPt);
        font.setWeight(point.isPicked ? QFont::DemiBold : font.weight());
        const QFontMetricsF metrics(font);
        const QPointF at(axes.left() + point.at.x(), axes.bottom() - point.at.y());
        const QSizeF size(metrics.horizontalAdvance(point.label), metrics.height());
        const double off = point.radius + m_style.units(2);
        const double left = -off - size.width();
        const double middle = -size.width() / 2;
        const double above = -off - size.height();
        QList<QPointF> corners = {{off, -size.height() / 2},
                                  {left, -size.height() / 2},
                                  {middle, above},
                                  {middle, off},
                                  {off, above},
                                  {left, above},
                                  {off, off},
                                  {left, off}};
        const int rows = point.isPicked ? kPickedRows : 1;
        for (int row = 1; row < rows; ++row) {
            for (const double x : {off, left, middle}) {
                corners << QPointF(x, above - row * size.height()) << QPointF(x, off + row * size.height());
            }
        }
        QList<QRectF> candidates;
        for (const QPointF& corner : std::as_const(corners)) {
            const QRectF box(at + corner, size);
            if (axes.contains(box)) {
                candidates.append(box);
            }
        }
        const QColor ink = point.isQuiet ? m_style.theme.quietText : m_style.theme.text;
        const double distance = point.isQuiet || point.isPicked ? point.radius : 0;
        const auto box = drawLabel(painter, candidates, point.label, ink, font, true, distance);
        if (box && rows > 1) {
            const QPointF end(std::clamp(at.x(), box->left(), box->right()),
                              std::clamp(at.y(), box->top(), box->bottom()));
            if (std::hypot(end.x() - at.x(), end.y() - at.y()) > 2 * off) {  // the label is far from its point
                painter->setPen(QPen(ink, m_style.units(m_style.hairPt)));
                painter->drawLine(at, end);
            }
        }
    }
}

std::optional<QRectF> FigureAnnotations::drawLabel(QCPPainter* painter, const QList<QRectF>& candidates,
                                                   const QString& label, const QColor& ink, const QFont& font,
                                                   bool avoidsPoints, double distance) {
    const auto box = m_places.place(candidates, avoidsPoints, distance);
    if (!box) {
        return box;
    }
    // A background behind the label covers curves.
    QColor paper = m_style.theme.paper;
    paper.setAlphaF(0.8F);
    painter->fillRect(box->adjusted(-m_style.units(2), 0, m_style.units(2), 0), paper);
    painter->setFont(font);
    painter->setPen(ink);
    painter->drawText(QPointF(box->left(), box->top() + QFontMetricsF(font).ascent()), label);
    return box;
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

    // If there is no space for all labels, every n-th one is drawn, and the last row states the number of the others.
    const auto rows = std::max<qsizetype>(1, static_cast<qsizetype>((last - top) / gap) + 1);
    const bool isTight = rows < m_ends.size();
    const qsizetype space = isTight ? std::max<qsizetype>(1, rows - 1) : rows;
    const double bottom = isTight ? std::max(top, last - gap) : last;
    const qsizetype stride = (m_ends.size() + space - 1) / space;
    QList<EndLabel> shown;
    QList<double> wanted;
    for (qsizetype i = 0; i < m_ends.size(); i += stride) {
        shown.append(m_ends[i]);
        wanted.append(axes.bottom() - m_ends[i].end.y());
    }
    const QList<double> places = spread(wanted, gap, top, bottom);

    double valueWidth = 0;
    for (const EndLabel& each : shown) {  // straight lines have no value here: their labels contain it
        valueWidth = std::max(valueWidth, metrics.horizontalAdvance(each.value));
    }
    valueWidth = m_showsValues ? valueWidth : 0;
    const double right = mParentPlot->viewport().right() - m_style.units(kNoteGap);
    const double swatch = axes.right() + m_style.units(kNoteGap * 1.2);
    const double besideSwatch = swatch + m_style.units(kNoteSwatch + kNoteGap * 0.8);
    QStringList labels;
    QList<double> widths;
    for (const EndLabel& each : shown) {
        labels << each.label;
        widths << right - (each.isLine ? swatch : besideSwatch) -
                      (each.isLine || valueWidth == 0 ? 0 : valueWidth + m_style.units(kNoteGap));
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

        // Grey and dotted, so that the leader does not look like a part of the curve.
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
            painter->drawLine(QPointF(swatch, y), QPointF(swatch + m_style.units(kNoteSwatch), y));
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
