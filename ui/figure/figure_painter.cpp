#include "ui/figure/figure_painter.h"

#include <qcustomplot.h>

#include "ui/figure/figure_renderer.h"

namespace ropelab::ui {

void paintFigure(const Figure& figure, QPaintDevice& device, const QSize& size, const FigureStyle& style,
                 bool vectors) {
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    FigureRenderer renderer(plot);
    renderer.show(figure, style);
    QCPPainter painter;
    painter.begin(&device);
    if (vectors) {
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNonCosmetic);
    }
    plot.toPainter(&painter, size.width(), size.height());
    painter.end();
}

}  // namespace ropelab::ui
