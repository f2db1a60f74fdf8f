#include "ui/plot/figure_view.h"

#include <qcustomplot.h>

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/figure/figure_backdrop.h"
#include "ui/figure/figure_renderer.h"
#include "ui/plot/plot_readout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

FigureView::FigureView(QWidget* parent)
    : QWidget(parent),
      m_plot(new QCustomPlot),
      m_renderer(std::make_unique<FigureRenderer>(*m_plot)),
      m_readout(new PlotReadout(m_plot)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 2, 2, 2);  // leaves room for the focus ring
    layout->addWidget(m_plot, 1);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
    // The layout of the room determines the size of the view, not the minimum size of the plot.
    m_plot->setMinimumSize(1, 1);
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible()) {
            refresh();
        }
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &FigureView::restyle);
    restyle();
}

FigureView::~FigureView() = default;

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
    setAccessibleDescription(m_figure.summary);
    schedule();
}

void FigureView::schedule() {
    if (!m_timer.isActive()) {
        m_timer.start();
    }
}

void FigureView::restyle() {
    const ThemeManager& theme = ThemeManager::instance();
    m_style = FigureStyle::screen(theme.theme(), theme.factor() * logicalDpiY() / 72.0);
    updateGeometry();
    update();
    schedule();
}

void FigureView::refresh() {
    m_renderer->show(m_figure, m_style);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void FigureView::refreshNow() {
    m_timer.stop();
    m_plot->setViewport(m_plot->rect());
    m_renderer->show(m_figure, m_style);
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

QRectF FigureView::canvasRect() const {
    const QRectF inside =
        m_figure.drawing ? FigureBackdrop::drawingRect(m_plot->rect(), m_style) : m_renderer->axesRect();
    return inside.translated(m_plot->pos());
}

QPointF FigureView::valueAt(const QPointF& pixel) const {
    const QPointF inPlot = pixel - m_plot->pos();
    return {m_plot->xAxis->pixelToCoord(inPlot.x()), m_plot->yAxis->pixelToCoord(inPlot.y())};
}

QPointF FigureView::pixelOf(const QPointF& value) const {
    return QPointF(m_plot->xAxis->coordToPixel(value.x()), m_plot->yAxis->coordToPixel(value.y())) + m_plot->pos();
}

void FigureView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    schedule();
}

void FigureView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule();
}

void FigureView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_style.theme.paper);
    if (hasFocus()) {
        painter.setPen(QPen(m_style.theme.accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void FigureView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    emit chosen();
    update();
}

void FigureView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace ropelab::ui
