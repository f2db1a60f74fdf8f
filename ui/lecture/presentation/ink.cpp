#include "ui/lecture/presentation/ink.h"

#include <QCursor>
#include <QMouseEvent>
#include <QPainter>
#include <QTabletEvent>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kInkWidth = 5;       // pixels at 100 %, at full pressure
constexpr double kPointerRadius = 9;  // pixels at 100 %
constexpr int kFollowMs = 16;

}  // namespace

InkLayer::InkLayer(QWidget* parent) : QWidget(parent) {
    setObjectName(u"ink"_s);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    m_follow.setInterval(kFollowMs);
    // The cursor is polled, because widgets below this layer receive the mouse events.
    connect(&m_follow, &QTimer::timeout, this, [this] { movePointer(mapFromGlobal(QPointF(QCursor::pos()))); });
}

void InkLayer::setDrawing(bool drawing) {
    m_drawing = drawing;
    m_inStroke = false;
    setAttribute(Qt::WA_TransparentForMouseEvents, !drawing);
    setCursor(drawing ? Qt::CrossCursor : Qt::ArrowCursor);
}

void InkLayer::wipe() {
    m_strokes.clear();
    m_inStroke = false;
    update();
}

void InkLayer::setPointer(bool shown) {
    if (shown) {
        m_follow.start();
    } else {
        m_follow.stop();
    }
    m_pointer.reset();
    update();
}

void InkLayer::movePointer(const QPointF& place) {
    if (m_pointer == place) return;
    m_pointer = place;
    update();
}

void InkLayer::beginStroke(const QPointF& place, double pressure) {
    m_inStroke = true;
    m_strokes.append({Dot{place, pressure}});
    update();
}

void InkLayer::continueStroke(const QPointF& place, double pressure) {
    if (!m_inStroke || m_strokes.last().last().place == place) return;
    m_strokes.last().append({place, pressure});
    update();
}

void InkLayer::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) beginStroke(event->position(), 0.6);
}

void InkLayer::mouseMoveEvent(QMouseEvent* event) {
    continueStroke(event->position(), 0.6);
}

void InkLayer::mouseReleaseEvent(QMouseEvent*) {
    m_inStroke = false;
}

void InkLayer::tabletEvent(QTabletEvent* event) {
    event->accept();  // Qt sends no mouse event for an accepted pen event
    switch (event->type()) {
        case QEvent::TabletPress:
            return beginStroke(event->position(), event->pressure());
        case QEvent::TabletMove:
            return continueStroke(event->position(), event->pressure());
        default:
            m_inStroke = false;
    }
}

void InkLayer::paintEvent(QPaintEvent*) {
    const ThemeManager& manager = ThemeManager::instance();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = manager.theme().error;
    for (const QList<Dot>& stroke : m_strokes) {
        for (qsizetype i = 0; i < stroke.size(); ++i) {
            const double width = manager.px(kInkWidth) * std::max(0.2, stroke[i].pressure);
            painter.setPen(QPen(ink, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawLine(stroke[std::max<qsizetype>(0, i - 1)].place, stroke[i].place);
        }
    }
    if (!m_pointer || !hasPointer()) return;
    const double radius = manager.px(kPointerRadius);
    QColor disc = manager.theme().error;
    disc.setAlphaF(0.75F);
    painter.setPen(QPen(manager.theme().paper, manager.px(2)));
    painter.setBrush(disc);
    painter.drawEllipse(*m_pointer, radius, radius);
}

}  // namespace ropelab::ui

#include "moc_ink.cpp"
