#include "ui/plot/figure_view.h"

#include <qcustomplot.h>

#include <cmath>
#include <utility>

#include "ui/figure/figure_summary.h"
#include "ui/figure/paint/figure_backdrop.h"
#include "ui/figure/paint/figure_renderer.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr int kRescaleMs = 180;
constexpr int kLongNote = 60;  // characters

/// Sets the part `along` (0 to 1) of the way to the axis' own range.
void moveFrom(const Range& start, const Range& end, double along, Axis& axis) {
    const auto between = [&](double from, double to) {
        if (axis.logarithmic && from > 0 && to > 0) return from * std::pow(to / from, along);
        return from + along * (to - from);
    };
    axis.minimum = between(start.minimum, end.minimum);
    axis.maximum = between(start.maximum, end.maximum);
}

bool isSame(const Range& a, const Range& b) {
    return a.minimum == b.minimum && a.maximum == b.maximum;
}

}  // namespace

FigureView::FigureView(QWidget* parent) : PlotWidget(parent) {
    m_rescale.setDuration(kRescaleMs);
    m_rescale.setStartValue(0.0);
    m_rescale.setEndValue(1.0);
    m_rescale.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_rescale, &QVariantAnimation::valueChanged, this, [this] { schedule(); });
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
    m_rescale.stop();
    m_figure = std::move(figure);
    describe(figureSummary(m_figure));
    schedule();
}

void FigureView::rescaleTo(Figure figure) {
    const Range x = xRange(m_figure);
    const Range y = yRange(m_figure);
    const bool isSameKind = figure.x.label == m_figure.x.label && figure.y.label == m_figure.y.label &&
                            figure.x.logarithmic == m_figure.x.logarithmic &&
                            figure.y.logarithmic == m_figure.y.logarithmic;
    setFigure(std::move(figure));
    if (!isSameKind || isMotionReduced() || (isSame(x, xRange(m_figure)) && isSame(y, yRange(m_figure)))) return;
    m_fromX = x;
    m_fromY = y;
    m_rescale.start();
}

void FigureView::refreshNow() {
    m_rescale.stop();
    PlotWidget::refreshNow();
}

void FigureView::render() {
    const bool isResting = m_rescale.state() != QAbstractAnimation::Running;
    // In the type of a presentation a long note would take the place of the figure: its first parts stay.
    const bool cutsNote = ThemeManager::instance().leastText() > 0 && m_figure.note.size() > kLongNote;
    if (isResting && !cutsNote) return m_renderer->show(m_figure, m_style);
    Figure moving = m_figure;
    if (cutsNote) moving.note.truncate(std::max<qsizetype>(0, moving.note.lastIndexOf("; "_L1, kLongNote)));
    if (isResting) return m_renderer->show(moving, m_style);
    const double along = m_rescale.currentValue().toDouble();
    moveFrom(m_fromX, xRange(m_figure), along, moving.x);
    moveFrom(m_fromY, yRange(m_figure), along, moving.y);
    m_renderer->show(moving, m_style);
}

QRectF FigureView::canvasRect() const {
    return m_figure.drawing ? FigureBackdrop::drawingRect(m_plot->rect(), m_style).translated(m_plot->pos())
                            : PlotWidget::canvasRect();
}

}  // namespace ropelab::ui

#include "moc_figure_view.cpp"
