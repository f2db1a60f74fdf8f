#include "ui/lecture/questions/curve_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kColumns = 201;        // points of a drawn curve
constexpr int kKeyColumns = 4;       // columns that an arrow key moves the pen
constexpr double kKeyHeight = 0.02;  // part of the y axis that an arrow key moves the pen
constexpr int kFar = 5;              // factor of both with Shift

AxisScale unitScale(const Axis& axis) {
    return {axis.minimum, axis.maximum, axis.logarithmic, 1, axis.downwards};
}

bool isSameAxis(const Axis& a, const Axis& b, const Range& range) {
    return a.title() == b.title() && a.logarithmic == b.logarithmic && a.downwards == b.downwards &&
           a.minimum == range.minimum && a.maximum == range.maximum;
}

bool isPenKey(int key) {
    return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down ||
           key == Qt::Key_Home || key == Qt::Key_End || key == Qt::Key_Delete;
}

}  // namespace

CurveCanvas::CurveCanvas(QWidget* parent) : FigureView(parent) {
    setAccessibleName(u"Axes on which you draw a curve"_s);
    setToolTip(u"Draw the curve with the mouse, a pen or the arrow keys. The Delete key removes the curve."_s);
    clearCurve();
}

void CurveCanvas::setAxesOf(const Figure& figure) {
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    m_empty = Figure();
    m_empty.name = figure.name;
    m_empty.x = figure.x;
    m_empty.y = figure.y;
    m_empty.x.minimum = x.minimum;
    m_empty.x.maximum = x.maximum;
    m_empty.y.minimum = y.minimum;
    m_empty.y.maximum = y.maximum;
    m_hasAxes = true;
    m_truthShown = false;
    clearCurve();
}

bool CurveCanvas::hasAxesOf(const Figure& figure) const {
    return m_hasAxes && isSameAxis(m_empty.x, figure.x, xRange(figure)) &&
           isSameAxis(m_empty.y, figure.y, yRange(figure));
}

void CurveCanvas::clearCurve() {
    m_drawn.fill(std::numeric_limits<double>::quiet_NaN(), kColumns);
    m_pen = m_penFrom = m_last = Place{};
    m_penShown = false;
    refreshFigure();
    emit curveChanged();
}

bool CurveCanvas::hasCurve() const {
    return std::any_of(m_drawn.begin(), m_drawn.end(), [](double height) { return std::isfinite(height); });
}

double CurveCanvas::drawnPart() const {
    const auto drawn =
        std::count_if(m_drawn.begin(), m_drawn.end(), [](double height) { return std::isfinite(height); });
    return static_cast<double>(drawn) / kColumns;
}

double CurveCanvas::xOf(int column) const {
    return unitScale(m_empty.x).fromDevice(static_cast<double>(column) / (kColumns - 1));
}

double CurveCanvas::yOf(double height) const {
    return unitScale(m_empty.y).fromDevice(height);
}

AnswerCurve CurveCanvas::curve() const {
    AnswerCurve result;
    for (int i = 0; i < kColumns; ++i) {
        result.x.push_back(xOf(i));
        result.y.push_back(std::isfinite(m_drawn[i]) ? yOf(m_drawn[i]) : m_drawn[i]);
    }
    return result;
}

AnswerAxes CurveCanvas::axes() const {
    return {m_empty.x.minimum, m_empty.x.maximum, m_empty.x.logarithmic, m_empty.y.logarithmic};
}

void CurveCanvas::showTruth(const Figure& figure) {
    m_truth = figure;
    m_truthShown = true;
    m_penShown = false;
    refreshFigure();
}

void CurveCanvas::refreshFigure() {
    if (!m_hasAxes) {
        // A figure without curves has no numbers on its axes.
        Figure waiting;
        waiting.emptyText = u"Computing …"_s;
        return setFigure(std::move(waiting));
    }
    Figure figure = m_empty;
    if (m_truthShown) {
        figure = m_truth;
        figure.x = m_empty.x;
        figure.y = m_empty.y;
    }
    FigureCurve drawn;
    drawn.quantity = u"drawn curve"_s;
    drawn.ink = {Ink::Kind::accent};
    drawn.dots = false;
    drawn.companion = m_truthShown;  // dashed, so that it differs from the right curve without its colour
    drawn.isNamed = m_truthShown;
    if (m_truthShown && hasCurve()) drawn.label = u"drawn"_s;
    const AnswerCurve line = curve();
    drawn.x = QList<double>(line.x.begin(), line.x.end());
    drawn.y = QList<double>(line.y.begin(), line.y.end());
    figure.curves.push_back(drawn);
    if (m_penShown) {
        figure.verticalLines.push_back({.at = xOf(m_pen.column), .label = {}, .ink = {Ink::Kind::accent}});
        figure.horizontalLines.push_back({.at = yOf(m_pen.height), .label = {}, .ink = {Ink::Kind::accent}});
    }
    setFigure(std::move(figure));
    if (m_penShown) {
        setAccessibleDescription(u"Pen at %1 %2, %3 %4"_s.arg(m_empty.x.title(), readableNumber(xOf(m_pen.column)),
                                                              m_empty.y.title(), readableNumber(yOf(m_pen.height))));
    }
}

CurveCanvas::Place CurveCanvas::placeAt(const QPointF& where) const {
    const QRectF area = canvasRect();
    if (area.isEmpty()) return m_last;  // not painted yet
    const double x = std::clamp((where.x() - area.left()) / area.width(), 0.0, 1.0);
    const double y = std::clamp((area.bottom() - where.y()) / area.height(), 0.0, 1.0);
    return {static_cast<int>(std::lround(x * (kColumns - 1))), y};
}

void CurveCanvas::drawLine(const Place& from, const Place& to) {
    const int columns = to.column - from.column;
    const int step = columns < 0 ? -1 : 1;
    for (int column = from.column; column != to.column; column += step) {
        const double part = static_cast<double>(column - from.column) / columns;
        m_drawn[column] = from.height + part * (to.height - from.height);
    }
    m_drawn[to.column] = to.height;
}

void CurveCanvas::mousePressed(const QPointF& where, Qt::KeyboardModifiers) {
    if (!m_hasAxes || m_truthShown) return;
    m_penShown = false;
    m_last = placeAt(where);
    drawLine(m_last, m_last);
    refreshFigure();
    emit curveChanged();
}

void CurveCanvas::mouseDragged(const QPointF& where, Qt::KeyboardModifiers) {
    if (!m_hasAxes || m_truthShown) return;
    const Place now = placeAt(where);
    drawLine(m_last, now);
    m_last = now;
    refreshFigure();
    emit curveChanged();
}

void CurveCanvas::mouseReleased(const QPointF& where) {
    if (m_truthShown) FigureView::mouseReleased(where);
}

void CurveCanvas::mouseMoved(const QPointF& where) {
    if (m_truthShown) FigureView::mouseMoved(where);
}

void CurveCanvas::focusInEvent(QFocusEvent* event) {
    FigureView::focusInEvent(event);
    // With the keyboard the pen must be visible before it draws.
    const bool byKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (byKey && m_hasAxes && !m_truthShown) {
        m_penShown = true;
        refreshFigure();
    }
}

bool CurveCanvas::event(QEvent* event) {
    // The arrow keys draw here, whatever shortcuts the window has for them.
    if (event->type() == QEvent::ShortcutOverride && !m_truthShown && isPenKey(static_cast<QKeyEvent*>(event)->key())) {
        event->accept();
        return true;
    }
    return FigureView::event(event);
}

void CurveCanvas::movePen(int columns, double height) {
    if (!m_penShown) {
        m_penShown = true;
        m_pen = m_penFrom = m_last;
    }
    if (columns != 0) {
        m_penFrom = m_pen;
        m_pen.column = std::clamp(m_pen.column + columns, 0, kColumns - 1);
    }
    m_pen.height = std::clamp(m_pen.height + height, 0.0, 1.0);
    if (columns == 0 && m_penFrom.column == m_pen.column) m_penFrom = m_pen;
    drawLine(m_penFrom, m_pen);
    m_last = m_pen;
    refreshFigure();
    emit curveChanged();
}

void CurveCanvas::keyPressEvent(QKeyEvent* event) {
    if (!m_hasAxes || m_truthShown || !isPenKey(event->key())) {
        FigureView::keyPressEvent(event);
        return;
    }
    const int far = event->modifiers().testFlag(Qt::ShiftModifier) ? kFar : 1;
    switch (event->key()) {
        case Qt::Key_Right:
            return movePen(far * kKeyColumns, 0);
        case Qt::Key_Left:
            return movePen(-far * kKeyColumns, 0);
        case Qt::Key_Up:
            return movePen(0, far * kKeyHeight);
        case Qt::Key_Down:
            return movePen(0, -far * kKeyHeight);
        case Qt::Key_Delete:
            return clearCurve();
        default:  // Home and End
            break;
    }
    m_pen.column = event->key() == Qt::Key_Home ? 0 : kColumns - 1;
    if (std::isfinite(m_drawn[m_pen.column])) m_pen.height = m_drawn[m_pen.column];
    m_penFrom = m_last = m_pen;
    m_penShown = true;
    refreshFigure();
}

}  // namespace ropelab::ui

#include "moc_curve_canvas.cpp"
