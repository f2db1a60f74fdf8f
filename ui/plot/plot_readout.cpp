#include "ui/plot/plot_readout.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/figure/text_metrics.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
PlotReadout::PlotReadout(QCustomPlot* plot) : QCPLayerable(plot, u"overlay"_s) {}

QList<PlotReadout::Row> PlotReadout::rowsAround(const QList<Row>& rows, qsizetype most, double nearTo) {
    if (rows.size() <= most) return rows;
    const auto strong = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.strong; });
    const auto nearest = std::min_element(rows.begin(), rows.end(), [nearTo](const Row& a, const Row& b) {
        return std::abs(a.y - nearTo) < std::abs(b.y - nearTo);
    });
    const qsizetype middle = (strong == rows.end() ? nearest : strong) - rows.begin();
    return rows.mid(std::clamp<qsizetype>(middle - most / 2, 0, rows.size() - most), most);
}

void PlotReadout::show(const QString& title, double x, const QList<Row>& rows, const FigureStyle& style,
                       double nearTo) {
    m_shown = true;
    m_title = title;
    m_x = x;
    m_rows = rows;
    m_nearTo = nearTo;
    m_style = style;
    layer()->setMode(QCPLayer::lmBuffered);
    layer()->replot();
}

void PlotReadout::hide() {
    if (m_shown) {
        m_shown = false;
        m_rows.clear();
        if (mParentPlot->isVisible()) layer()->replot();
    }
}

void PlotReadout::draw(QCPPainter* painter) {
    if (!m_shown) {
        return;
    }
    const QRectF axes(mParentPlot->axisRect()->rect());
    const double x = mParentPlot->xAxis->coordToPixel(m_x);
    QColor hairline = m_style.theme.quietText;
    hairline.setAlphaF(0.6F);
    painter->setPen(QPen(hairline, m_style.units(m_style.hairPt)));
    painter->drawLine(QPointF(x, axes.top()), QPointF(x, axes.bottom()));
    for (const Row& row : m_rows) {
        for (const QPointF& dot : row.dots) {
            const QPointF at(mParentPlot->xAxis->coordToPixel(dot.x()), mParentPlot->yAxis->coordToPixel(dot.y()));
            if (!axes.contains(at)) continue;  // also for values that are not finite
            painter->setPen(QPen(m_style.theme.paper, m_style.units(0.75)));
            painter->setBrush(row.pen.color());
            const double radius = m_style.units(row.strong ? 3.6 : 2.8);
            painter->drawEllipse(at, radius, radius);
        }
    }

    drawLine(painter, axes);
}

void PlotReadout::drawLine(QCPPainter* painter, const QRectF& axes) const {
    const QFont font = m_style.font(m_style.tickPt);
    QFont strong = font;
    strong.setWeight(QFont::DemiBold);
    const TextMetrics metrics(font);
    const double pad = m_style.units(6);
    const double gap = m_style.units(12);
    const double swatch = m_style.units(12);
    const double line = metrics.height();
    const double right = mParentPlot->viewport().right() - pad;
    const auto isMarked = [](const Row& row) { return row.pen.style() != Qt::NoPen; };
    const auto widthOf = [&](const Row& row) {
        return (isMarked(row) ? swatch + pad : 0) + metrics.horizontalAdvance(row.label) + pad +
               TextMetrics(row.strong ? strong : font).horizontalAdvance(row.value);
    };
    // Places in two lines above the axes; nullopt if the rows need more.
    const auto placed = [&](const QList<Row>& rows) -> std::optional<QList<QPointF>> {
        QList<QPointF> places;
        QPointF next(pad + metrics.horizontalAdvance(m_title) + gap, 0);
        for (const Row& row : rows) {
            const double width = widthOf(row);
            if (next.x() + width > right && next.x() > pad) next = {pad, next.y() + line};
            if (next.x() + width > right || next.y() > line) return std::nullopt;
            places.append(next);
            next.rx() += width + gap;
        }
        return places;
    };
    qsizetype count = m_rows.size();
    QList<Row> rows = m_rows;
    for (Row& row : rows) {  // a name that is longer than a line must not hide its value
        const double over = widthOf(row) - (right - pad);
        if (over > 0)
            row.label = metrics.elidedText(row.label, Qt::ElideRight, metrics.horizontalAdvance(row.label) - over);
    }
    const QList<Row> all = rows;
    while (count > 0 && !placed(rows)) {
        rows = rowsAround(all, --count, m_nearTo);
        rows.append({u"and %1 more"_s.arg(all.size() - count), {}, QPen(Qt::NoPen), 0, false});
    }
    const QList<QPointF> places = placed(rows).value_or(QList<QPointF>());
    const double bottom = places.isEmpty() ? 0 : places.last().y();
    const double top = m_style.units(2);
    // The line stands where the title of the figure is, and not over the data.
    painter->fillRect(QRectF(0, 0, mParentPlot->viewport().width(), std::max(axes.top() - top, bottom + line + top)),
                      m_style.theme.paper);
    const double base = top + metrics.ascent();
    painter->setFont(font);
    painter->setPen(m_style.theme.quietText);
    painter->drawText(QPointF(pad, base), m_title);
    for (qsizetype i = 0; i < places.size(); ++i) {
        const Row& row = rows[i];
        double x = places[i].x();
        const double y = base + places[i].y();
        if (isMarked(row)) {
            const double middle = y - (metrics.ascent() - metrics.descent()) / 2;
            painter->setPen(row.pen);
            painter->drawLine(QPointF(x, middle), QPointF(x + swatch, middle));
            x += swatch + pad;
        }
        painter->setFont(font);
        painter->setPen(m_style.theme.quietText);
        painter->drawText(QPointF(x, y), row.label);
        painter->setFont(row.strong ? strong : font);
        painter->setPen(m_style.theme.text);
        painter->drawText(QPointF(x + metrics.horizontalAdvance(row.label) + pad, y), row.value);
    }
}

}  // namespace ropelab::ui

#include "moc_plot_readout.cpp"
