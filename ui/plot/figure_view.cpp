#include "ui/plot/figure_view.h"

#include <qcustomplot.h>

#include <utility>

#include "ui/figure/figure_summary.h"
#include "ui/figure/paint/figure_backdrop.h"
#include "ui/figure/paint/figure_renderer.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

FigureView::FigureView(QWidget* parent) : PlotWidget(parent) {
    // The layout of the room determines the size of the view, not the minimum size of the plot.
    m_plot->setMinimumSize(1, 1);
}

QSize FigureView::sizeHint() const {
    const ThemeManager& theme = ThemeManager::instance();
    return {theme.pixels(420), theme.pixels(280)};
}

QSize FigureView::minimumSizeHint() const {
    const ThemeManager& theme = ThemeManager::instance();
    return {theme.pixels(160), theme.pixels(110)};
}

void FigureView::setFigure(Figure figure) {
    m_figure = std::move(figure);
    describe(figureSummary(m_figure));
    schedule();
}

void FigureView::render() {
    m_renderer->show(m_figure, m_style);
}

QRectF FigureView::canvasRect() const {
    return m_figure.drawing ? FigureBackdrop::drawingRect(m_plot->rect(), m_style).translated(m_plot->pos())
                            : PlotWidget::canvasRect();
}

}  // namespace ropelab::ui
