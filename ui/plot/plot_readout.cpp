#include "ui/plot/plot_readout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr qsizetype kMinRows = 6;  // smallest number of rows, if the plot is high enough

}  // namespace

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
    layer()->replot();
}

void PlotReadout::hide() {
    if (m_shown) {
        m_shown = false;
        m_rows.clear();
        layer()->replot();
    }
}

void PlotReadout::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
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
        const double y = mParentPlot->yAxis->coordToPixel(row.y);
        if (std::isfinite(y) && y >= axes.top() && y <= axes.bottom()) {
            painter->setPen(QPen(m_style.theme.paper, m_style.units(0.75)));
            painter->setBrush(row.pen.color());
            const double radius = m_style.units(row.strong ? 3.6 : 2.8);
            painter->drawEllipse(QPointF(x, y), radius, radius);
        }
    }

    const QFont font = m_style.font(m_style.tickPt);
    QFont strong = font;
    strong.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(font);
    const QFontMetricsF strongMetrics(strong);
    const double pad = m_style.units(6);
    const double line = metrics.height() * 1.1;
    const double swatch = m_style.units(14);
    const double edge = m_style.units(4);
    // The rows are below the title. In low axes the box may extend over the area below the axes.
    const QRectF whole(mParentPlot->viewport());
    const auto rowsIn = [&](double inHeight) {
        return static_cast<qsizetype>((inHeight - 2 * (pad + edge)) / line) - 1;
    };
    const auto fittingRows =
        std::max<qsizetype>(2, std::max(rowsIn(axes.height()), std::min(rowsIn(whole.height()), kMinRows)));
    const bool isWhole = m_rows.size() <= fittingRows;
    const QList<Row> rows = rowsAround(m_rows, isWhole ? fittingRows : fittingRows - 1, m_nearTo);
    const QString more = isWhole ? QString() : u"and %1 more"_s.arg(m_rows.size() - rows.size());
    double label = metrics.horizontalAdvance(more);
    double value = 0;
    for (const Row& row : rows) {
        label = std::max(label, (row.strong ? strongMetrics : metrics).horizontalAdvance(row.label));
        value = std::max(value, (row.strong ? strongMetrics : metrics).horizontalAdvance(row.value));
    }
    const double inside =
        std::max(metrics.horizontalAdvance(m_title), swatch + m_style.units(5) + label + m_style.units(12) + value);
    const double height = line * static_cast<double>(rows.size() + (isWhole ? 1 : 2)) + 2 * pad;
    QRectF box(0, 0, inside + 2 * pad, height);
    // The box is in the upper right corner, which falling curves leave empty, unless the mouse is there.
    box.moveTopRight(QPointF(axes.right() - edge, axes.top() + edge));
    if (x > box.left() - m_style.units(12)) {
        box.moveRight(x - m_style.units(12));
    }
    if (box.bottom() > whole.bottom() - edge) {
        box.moveBottom(whole.bottom() - edge);
    }
    if (box.left() < axes.left()) {
        box.moveLeft(axes.left() + edge);
    }

    QColor paper = m_style.theme.panel;
    paper.setAlphaF(0.94F);
    painter->setPen(QPen(m_style.theme.hairline, m_style.units(m_style.hairPt)));
    painter->setBrush(paper);
    painter->drawRoundedRect(box, m_style.units(4), m_style.units(4));
    painter->setBrush(Qt::NoBrush);
    const double left = box.left() + pad;
    const double right = box.right() - pad;
    double base = box.top() + pad + metrics.ascent();
    painter->setFont(font);
    painter->setPen(m_style.theme.quietText);
    painter->drawText(QPointF(left, base), m_title);
    if (!isWhole) {
        painter->drawText(QPointF(left + swatch + m_style.units(5), base + line * static_cast<double>(rows.size() + 1)),
                          more);
    }
    for (const Row& row : rows) {
        base += line;
        painter->setPen(row.pen);
        const double middle = base - (metrics.ascent() - metrics.descent()) / 2;
        painter->drawLine(QPointF(left, middle), QPointF(left + swatch, middle));
        painter->setFont(row.strong ? strong : font);
        painter->setPen(m_style.theme.text);
        painter->drawText(QPointF(left + swatch + m_style.units(5), base), row.label);
        const double width = (row.strong ? strongMetrics : metrics).horizontalAdvance(row.value);
        painter->drawText(QPointF(right - width, base), row.value);
    }
}

}  // namespace ropelab::ui
