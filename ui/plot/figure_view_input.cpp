#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/plot/plot_readout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kGrabDistance = 6;  // pixels at 100 %
constexpr int kMaxRows = 12;         // largest number of rows of a readout

}  // namespace

QPointF FigureView::place(const QPointF& pixel) const {
    return m_figure.drawing ? pixel : valueAt(pixel);
}

std::vector<FigureView::Line> FigureView::lines() const {
    std::vector<Line> lines;
    for (const FigureLine& line : m_figure.verticalLines) {
        if (!line.handle.isEmpty()) lines.push_back({line.handle, true, line.at});
    }
    for (const FigureLine& line : m_figure.horizontalLines) {
        if (!line.handle.isEmpty()) lines.push_back({line.handle, false, line.at});
    }
    return lines;
}

std::optional<FigureView::Line> FigureView::lineNear(const QPointF& where) const {
    if (m_figure.drawing ||
        !canvasRect().adjusted(-kGrabDistance, -kGrabDistance, kGrabDistance, kGrabDistance).contains(where)) {
        return std::nullopt;
    }
    std::optional<Line> nearest;
    double distance = ThemeManager::instance().px(kGrabDistance);
    for (const Line& line : lines()) {
        const QPointF at = pixelOf({line.at, line.at});
        const double here = line.vertical ? std::abs(at.x() - where.x()) : std::abs(at.y() - where.y());
        if (here <= distance) {
            distance = here;
            nearest = line;
        }
    }
    return nearest;
}

std::optional<FigureView::Line> FigureView::lineWithHandle(const QString& handle) const {
    for (const Line& line : lines()) {
        if (line.handle == handle) return line;
    }
    return std::nullopt;
}

void FigureView::mousePressed(const QPointF& where, Qt::KeyboardModifiers modifiers) {
    m_draggedLine = lineNear(where);
    m_keyHandle = m_draggedLine ? m_draggedLine->handle : QString();
    if (!m_draggedLine) {
        emit pressed(place(where), modifiers);
    }
}

void FigureView::mouseDragged(const QPointF& where, Qt::KeyboardModifiers modifiers) {
    if (m_draggedLine) {
        moveLine(*m_draggedLine, where);
    } else if (m_moved) {
        emit dragged(place(where), modifiers);
    }
}

void FigureView::mouseMoved(const QPointF& where) {
    const auto line = lineNear(where);
    m_plot->setCursor(!line ? Qt::ArrowCursor : line->vertical ? Qt::SizeHorCursor : Qt::SizeVerCursor);
    if (m_figure.drawing || canvasRect().contains(where)) {
        emit hovered(place(where));
    } else {
        emit left();
    }
    showReadout(where);
}

void FigureView::mouseReleased(const QPointF& where) {
    if (m_draggedLine) {
        emit lineDropped(m_draggedLine->handle);
    } else {
        if (!m_moved) {
            emit clicked(place(where));
        }
        emit released();
    }
    m_draggedLine.reset();
}

void FigureView::moveLine(const Line& line, const QPointF& where) {
    const QRectF axes = canvasRect();
    const QPointF value =
        valueAt({std::clamp(where.x(), axes.left(), axes.right()), std::clamp(where.y(), axes.top(), axes.bottom())});
    emit lineDragged(line.handle, line.vertical ? value.x() : value.y());
}

void FigureView::nudge(const Line& line, double steps) {
    // A step is 1 % of the length of the axis, for linear and logarithmic axes alike.
    const QRectF axes = canvasRect();
    const QPointF at = pixelOf({line.at, line.at});
    const QPointF to = line.vertical ? QPointF(at.x() + steps * axes.width() / 100, axes.center().y())
                                     : QPointF(axes.center().x(), at.y() - steps * axes.height() / 100);
    moveLine(line, to);
    emit lineDropped(line.handle);
}

std::optional<FigureView::Readout> FigureView::defaultReadout(const QPointF& value) const {
    Readout readout;
    readout.x = value.x();
    if (m_figure.map) {
        const FigureMap& map = *m_figure.map;
        const auto column = static_cast<int>(std::lround((value.x() - map.xFirst) / map.xStep));
        const auto row = static_cast<int>(std::lround((value.y() - map.yFirst) / map.yStep));
        if (column < 0 || column >= map.columns || row < 0 || row >= map.rows) {
            return std::nullopt;
        }
        readout.x = map.xFirst + column * map.xStep;
        const auto placeOn = [](const Axis& axis, double at) {
            const QString name = axis.categories.value(static_cast<int>(std::lround(at)));
            return u"%1 %2"_s.arg(axis.label, name.isEmpty() ? readableCount(at) : name);
        };
        readout.title =
            u"%1, %2"_s.arg(placeOn(m_figure.x, readout.x), placeOn(m_figure.y, map.yFirst + row * map.yStep));
        const double cell = map.values[static_cast<qsizetype>(row) * map.columns + column];
        readout.rows.append(
            {map.label, readableNumber(cell) + (map.unit.isEmpty() ? QString() : QLatin1Char(' ') + map.unit)});
        return readout;
    }
    // The readout uses the computed x that is nearest to the mouse on screen.
    const auto distance = [&](double x) {
        return std::abs(m_plot->xAxis->coordToPixel(x) - m_plot->xAxis->coordToPixel(value.x()));
    };
    const auto nearestIn = [&](const FigureCurve& curve) {
        const auto above = std::lower_bound(curve.x.begin(), curve.x.end(), value.x());
        qsizetype at = std::clamp<qsizetype>(above - curve.x.begin(), 0, curve.x.size() - 1);
        if (at > 0 && distance(curve.x[at - 1]) <= distance(curve.x[at])) {
            --at;
        }
        return at;
    };
    double x = std::numeric_limits<double>::quiet_NaN();
    for (const FigureCurve& curve : m_figure.curves) {
        if (!curve.x.isEmpty()) {
            const double here = curve.x[nearestIn(curve)];
            if (!(distance(here) >= distance(x))) {
                x = here;
            }
        }
    }
    if (!std::isfinite(x)) {
        return std::nullopt;
    }
    readout.x = x;
    const QString name = m_figure.x.categories.value(static_cast<int>(std::lround(x)));
    readout.title =
        name.isEmpty() ? u"%1 %2 %3"_s.arg(m_figure.x.label, readableCount(x), m_figure.x.unit).trimmed() : name;
    for (std::size_t i = 0; i < m_figure.curves.size() && readout.rows.size() < kMaxRows; ++i) {
        const FigureCurve& curve = m_figure.curves[i];
        if (curve.x.isEmpty()) {
            continue;
        }
        const qsizetype at = nearestIn(curve);
        const QString label = curve.label.isEmpty() ? curve.quantity : curve.label;
        // The readout omits curves that have no label or no point near this x.
        if (label.isEmpty() || at >= curve.y.size() || distance(curve.x[at]) > distance(x) + kGrabDistance) {
            continue;
        }
        readout.rows.append({label, readableNumber(curve.y[at]), static_cast<int>(i)});
    }
    return readout.rows.isEmpty() ? std::nullopt : std::optional(readout);
}

void FigureView::showReadout(const QPointF& where) {
    if (m_figure.drawing || isEmpty(m_figure) || !canvasRect().contains(where)) {
        m_readout->hide();
        return;
    }
    const QPointF value = valueAt(where);
    const auto readout = readoutAt(value);
    if (!readout) {
        m_readout->hide();
        return;
    }
    QList<PlotReadout::Row> rows;
    for (const ReadoutRow& row : readout->rows) {
        PlotReadout::Row out{row.label, row.value, QPen(Qt::NoPen), std::numeric_limits<double>::quiet_NaN(), false};
        if (row.curve >= 0 && static_cast<std::size_t>(row.curve) < m_figure.curves.size()) {
            const FigureCurve& curve = m_figure.curves[static_cast<std::size_t>(row.curve)];
            out.pen = m_style.penOf(curve);
            const auto at = std::lower_bound(curve.x.begin(), curve.x.end(), readout->x) - curve.x.begin();
            if (at < curve.y.size()) {
                out.y = curve.y[at];
                out.dots = {{curve.x[at], out.y}};
            }
            out.strong = curve.emphasis == FigureCurve::Emphasis::picked;
        }
        rows.append(out);
    }
    m_readout->show(readout->title, readout->x, rows, m_style);
}

void FigureView::keyPressEvent(QKeyEvent* event) {
    const auto line = lineWithHandle(m_keyHandle);
    if (line) {
        const bool far = event->modifiers().testFlag(Qt::ShiftModifier);
        const double step = far ? 10 : 1;
        const int more = line->vertical ? Qt::Key_Right : Qt::Key_Up;
        const int less = line->vertical ? Qt::Key_Left : Qt::Key_Down;
        if (event->key() == more || event->key() == less) {
            return nudge(*line, event->key() == more ? step : -step);
        }
    }
    if (event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab || event->key() == Qt::Key_Space ||
        (event->key() >= Qt::Key_0 && event->key() <= Qt::Key_9)) {
        return QWidget::keyPressEvent(event);
    }
    emit keyPressed(event->key(), event->modifiers());
    QWidget::keyPressEvent(event);
}

}  // namespace ropelab::ui
