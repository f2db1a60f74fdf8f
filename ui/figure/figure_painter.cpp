#include "ui/figure/figure_painter.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/figure/figure_renderer.h"

namespace ropelab::ui {
namespace {

void paintOne(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    FigureRenderer renderer(plot);
    renderer.show(figure, style);
    plot.toPainter(&painter, size.width(), size.height());
}

/// Paints the panels of a figure in rows and columns of equal size, each below its title.
void paintPanels(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    const QFont font = style.font(style.labelPt);
    const QFontMetricsF metrics(font);
    const double gap = style.units(4);
    const int title = static_cast<int>(std::ceil(metrics.height() + gap));
    const int count = static_cast<int>(figure.panels.size());
    const int columns = figure.panelColumns > 0 ? std::min(figure.panelColumns, count) : count;
    const int width = size.width() / columns;
    const int height = size.height() / ((count + columns - 1) / columns);
    painter.fillRect(QRect(QPoint(0, 0), size), style.theme.paper);
    for (int i = 0; i < count; ++i) {
        const Figure& panel = figure.panels[static_cast<std::size_t>(i)];
        painter.save();
        painter.translate(i % columns * width, i / columns * height);
        painter.setFont(font);
        painter.setPen(style.theme.text);
        painter.drawText(QPointF(gap, gap / 2 + metrics.ascent()),
                         metrics.elidedText(panel.panelTitle, Qt::ElideRight, width - 2 * gap));
        painter.translate(0, title);
        paintOne(panel, painter, {width, std::max(1, height - title)}, style);
        painter.restore();
    }
}

}  // namespace

void paintFigure(const Figure& figure, QPaintDevice& device, const QSize& size, const FigureStyle& style,
                 bool vectors) {
    QCPPainter painter;
    painter.begin(&device);
    if (vectors) {
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNonCosmetic);
    }
    paintFigure(figure, painter, size, style);
    painter.end();
}

void paintFigure(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    if (figure.panels.empty()) return paintOne(figure, painter, size, style);
    paintPanels(figure, painter, size, style);
}

}  // namespace ropelab::ui
