#include "ui/figure/paint/figure_painter.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/figure/paint/figure_renderer.h"

namespace ropelab::ui {
namespace {

void paintOne(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    FigureRenderer renderer(plot);
    renderer.show(figure, style);
    plot.toPainter(&painter, size.width(), size.height());
}

// Size in points that a panel of a grid needs for its texts.
constexpr double kPanelWidth = 140;
constexpr double kPanelHeight = 105;

/// The panels of a grid are painted smaller by this factor, texts included, so that their texts fit.
double panelScale(const Figure& figure, double width, double height, const FigureStyle& style) {
    if (figure.panelColumns == 0) return 1;
    return std::min({1.0, width / style.units(kPanelWidth), height / style.units(kPanelHeight)});
}

void paintPanels(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    const QFont font = style.font(style.labelPt);
    const QFontMetricsF metrics(font);
    const double gap = style.units(4);
    const int title = static_cast<int>(std::ceil(metrics.height() + gap));
    // A page has no panels that only say why nothing is drawn; the caption says it.
    std::vector<const Figure*> panels;
    for (const Figure& panel : figure.panels) {
        if (style.onScreen || !isEmpty(panel)) panels.push_back(&panel);
    }
    const int count = static_cast<int>(panels.size());
    if (count == 0) return paintOne(figure.panels.front(), painter, size, style);
    const int columns = figure.panelColumns > 0 ? std::min(figure.panelColumns, count) : count;
    const int rows = (count + columns - 1) / columns;
    const double scale = panelScale(figure, static_cast<double>(size.width()) / columns,
                                    static_cast<double>(size.height()) / rows, style);
    const int width = static_cast<int>(size.width() / scale) / columns;
    const int height = static_cast<int>(size.height() / scale) / rows;
    painter.fillRect(QRect(QPoint(0, 0), size), style.theme.paper);
    painter.save();
    painter.scale(scale, scale);
    for (int i = 0; i < count; ++i) {
        const Figure& panel = *panels[static_cast<std::size_t>(i)];
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
    painter.restore();
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
