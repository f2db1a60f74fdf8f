#include "ui/plot/plot_widget.h"

#include <qcustomplot.h>

#include <QAccessibleWidget>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/figure/paint/figure_renderer.h"
#include "ui/plot/plot_readout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kDragThreshold = 4;  // pixels at 100 %
constexpr int kSummaryMs = 1000;
constexpr QSizeF kUsualSize{1500, 850};  // at 100 %: larger figures have larger type
constexpr double kMostGrowth = 1.35;

// Pixels per point. The type grows in steps, so that a window that is resized does not lay its figures out all the
// time.
double unitFor(const QWidget& plot, const QSizeF& size) {
    const ThemeManager& theme = ThemeManager::instance();
    const double unit = theme.factor() * plot.logicalDpiY() / 72.0;
    if (theme.leastText() > 0) return std::max(unit, theme.leastText() / FigureStyle().tickPt);
    const double larger = std::sqrt(size.width() * size.height() / (kUsualSize.width() * kUsualSize.height()));
    return unit * std::clamp(std::floor(larger / theme.factor() * 20) / 20, 1.0, kMostGrowth);
}

constexpr double kHiddenRatio = 0.1;    // pixels per pixel of a hidden canvas, whose layers then take no memory
constexpr double kMostRepainting = 10;  // milliseconds: a canvas that takes longer keeps its layers while it is hidden

/// Whether the layers have the size of the canvas.
bool isFitted(const QCustomPlot& plot) {
    return plot.viewport() == plot.rect() && qFuzzyCompare(plot.bufferDevicePixelRatio(), plot.devicePixelRatioF());
}

void fit(QCustomPlot& plot) {
    plot.setBufferDevicePixelRatio(plot.devicePixelRatioF());
    plot.setViewport(plot.rect());
}

/// Pages are made before they are shown, and some never are.
QCustomPlot* makeHiddenCanvas() {
    auto* canvas = new QCustomPlot;
    canvas->setBufferDevicePixelRatio(kHiddenRatio);
    return canvas;
}

/// A chart with name and summary, without its canvas.
class PlotAccessible : public QAccessibleWidget {
 public:
    explicit PlotAccessible(PlotWidget* plot) : QAccessibleWidget(plot, QAccessible::Chart) {}

    int childCount() const override { return static_cast<int>(parts().size()); }
    QAccessibleInterface* child(int index) const override { return parts().value(index); }
    int indexOfChild(const QAccessibleInterface* child) const override {
        return child ? static_cast<int>(objects().indexOf(child->object())) : -1;
    }

 private:
    QList<QAccessibleInterface*> parts() const {
        const QObject* canvas = static_cast<const PlotWidget*>(widget())->canvas();
        QList<QAccessibleInterface*> result;
        for (int i = 0; i < QAccessibleWidget::childCount(); ++i) {
            QAccessibleInterface* each = QAccessibleWidget::child(i);
            if (each && each->object() != canvas) result << each;
        }
        return result;
    }
    QList<QObject*> objects() const {
        QList<QObject*> result;
        for (const QAccessibleInterface* each : parts()) result << each->object();
        return result;
    }
};

QAccessibleInterface* makePlotAccessible(const QString&, QObject* object) {
    auto* plot = qobject_cast<PlotWidget*>(object);
    return plot ? new PlotAccessible(plot) : nullptr;
}

}  // namespace

PlotWidget::PlotWidget(QWidget* parent)
    : QWidget(parent),
      m_plot(makeHiddenCanvas()),
      m_renderer(std::make_unique<FigureRenderer>(*m_plot)),
      m_readout(new PlotReadout(m_plot)) {
    static const bool isAccessible = (QAccessible::installFactory(makePlotAccessible), true);
    Q_UNUSED(isAccessible)
    m_summaryTimer.setSingleShot(true);
    m_summaryTimer.setInterval(kSummaryMs);
    connect(&m_summaryTimer, &QTimer::timeout, this, [this] { setAccessibleDescription(m_summary); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 2, 2, 2);  // leaves room for the focus ring
    layout->setSpacing(0);
    layout->addWidget(m_plot, 1);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setNoAntialiasingOnDrag(false);
    // The canvas queues a replot when it is made. If that one painted immediately, the paint event of a first frame
    // would come inside it, where it refuses to replot, and the frame would show bare axes until something else
    // changes.
    m_plot->setPlottingHint(QCP::phImmediateRefresh, false);
    m_plot->setMouseTracking(true);
    // QCustomPlot sets this attribute, with which an ignored wheel would not reach the page that contains the plot.
    m_plot->setAttribute(Qt::WA_NoMousePropagation, false);
    m_plot->installEventFilter(this);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible()) PlotWidget::refreshNow();
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &PlotWidget::restyle);
    PlotWidget::restyle();
}

PlotWidget::~PlotWidget() = default;

void PlotWidget::schedule() {
    if (!m_timer.isActive()) {
        m_timer.start(repaintDelay());
    }
}

void PlotWidget::restyle() {
    m_style = FigureStyle::screen(ThemeManager::instance().theme(), unitFor(*this, m_plot->size()));
    updateGeometry();
    update();
    schedule();
}

void PlotWidget::renderQueued() {
    if (m_timer.isActive() && isVisible()) PlotWidget::refreshNow();
}

void PlotWidget::refreshNow() {
    m_timer.stop();
    fit(*m_plot);
    render();
    // Until the readout is shown, its layer needs no pixels of its own; a slow canvas would be painted again to get
    // them.
    const bool isApart = m_readout->isShown() || m_plot->replotTime() > kMostRepainting;
    m_readout->layer()->setMode(isApart ? QCPLayer::lmBuffered : QCPLayer::lmLogical);
    m_plot->replot(QCustomPlot::rpQueuedRefresh);  // paints with the widgets that were changed since the last frame
}

QRectF PlotWidget::canvasRect() const {
    return m_renderer->axesRect().translated(m_plot->pos());
}

QPointF PlotWidget::valueAt(const QPointF& pixel) const {
    const QPointF inPlot = pixel - m_plot->pos();
    return {m_plot->xAxis->pixelToCoord(inPlot.x()), m_plot->yAxis->pixelToCoord(inPlot.y())};
}

QPointF PlotWidget::pixelOf(const QPointF& value) const {
    return QPointF(m_plot->xAxis->coordToPixel(value.x()), m_plot->yAxis->coordToPixel(value.y())) + m_plot->pos();
}

bool PlotWidget::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot) {
        return QWidget::eventFilter(watched, event);
    }
    const bool isFixed = !m_plot->interactions();  // the canvas must not handle the mouse
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    const QPointF where = mouse ? mouse->position() + m_plot->pos() : QPointF();
    switch (event->type()) {
        case QEvent::Resize:
            if (static_cast<QResizeEvent*>(event)->size().isEmpty()) {
                return true;  // the canvas has no area yet, as in a room that was never shown
            }
            if (unitFor(*this, static_cast<QResizeEvent*>(event)->size()) != m_style.unit) restyle();
            schedule();
            return true;  // QCustomPlot would paint its layers for each size that a layout tries
        case QEvent::Paint:
            if (!isFitted(*m_plot)) {
                schedule();
                renderQueued();
            }
            break;
        case QEvent::Hide:
            if (m_plot->replotTime() < kMostRepainting) m_plot->setBufferDevicePixelRatio(kHiddenRatio);
            break;
        case QEvent::MouseButtonPress:
            setFocus(Qt::MouseFocusReason);
            emit chosen();
            if (mouse->button() != Qt::LeftButton) {
                return true;  // other buttons must not pan the view
            }
            m_pressedAt = where;
            m_moved = false;
            m_readout->hide();
            mousePressed(where, mouse->modifiers());
            return isFixed;
        case QEvent::MouseMove:
            if (m_pressedAt && mouse->buttons().testFlag(Qt::LeftButton)) {
                const QPointF moved = where - *m_pressedAt;
                m_moved = m_moved || std::hypot(moved.x(), moved.y()) > ThemeManager::instance().px(kDragThreshold);
                mouseDragged(where, mouse->modifiers());
                return isFixed || !m_moved;  // small movements during a click do not pan
            }
            mouseMoved(where);
            return isFixed;
        case QEvent::MouseButtonRelease:
            if (m_pressedAt && mouse->button() == Qt::LeftButton) {
                mouseReleased(where);
                m_pressedAt.reset();
            }
            break;
        case QEvent::MouseButtonDblClick:
            return isFixed;
        case QEvent::Wheel:
            event->setAccepted(!isFixed);  // the page that contains a fixed plot handles the wheel
            return isFixed;
        case QEvent::Leave:
            m_readout->hide();
            emit left();
            break;
        case QEvent::ContextMenu:
            emit chosen();
            emit contextMenuRequested(static_cast<QContextMenuEvent*>(event)->globalPos());
            return true;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotWidget::contextMenuEvent(QContextMenuEvent* event) {
    emit chosen();
    const bool isKey = event->reason() == QContextMenuEvent::Keyboard;
    emit contextMenuRequested(isKey ? mapToGlobal(rect().center()) : event->globalPos());
    event->accept();
}

void PlotWidget::describe(const QString& summary) {
    m_summary = summary;
    if (m_summaryTimer.isActive()) return;
    setAccessibleDescription(summary);  // announces the change
    if (QAccessible::isActive()) m_summaryTimer.start();
}

void PlotWidget::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule();
}

void PlotWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_style.theme.paper);
    if (hasFocus() && m_isRinged) {
        painter.setPen(QPen(m_style.theme.accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void PlotWidget::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    m_isRinged = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                 event->reason() == Qt::ShortcutFocusReason;
    emit chosen();
    update();
}

void PlotWidget::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace ropelab::ui

#include "moc_plot_widget.cpp"
