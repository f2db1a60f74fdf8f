#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ui/figure/paint/figure_renderer.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/plot_readout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kHoverDistance = 10;  // pixels at 100 %

}  // namespace

void CurvePlot::mouseMoved(const QPointF& where) {
    highlight(runNear(where));
    showReadout(where);
}

void CurvePlot::mouseReleased(const QPointF& where) {
    if (!m_moved) {
        const RunId run = runNear(where);
        pickRun(run == m_picked ? kNoRun : run);
    }
}

RunId CurvePlot::runNear(const QPointF& where) const {
    RunId nearest = kNoRun;
    double distance = ThemeManager::instance().px(kHoverDistance);
    if (!canvasRect().contains(where)) {
        return nearest;
    }
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const auto here = m_renderer->distanceTo(i, where - m_plot->pos());
        if (here && *here < distance) {
            distance = *here;
            nearest = m_shown[i].id.run;
        }
    }
    return nearest;
}

void CurvePlot::showReadout(const QPointF& where) {
    m_readoutAt = where;
    if (m_shown.empty() || !canvasRect().contains(where)) {
        m_readout->hide();
        emit crosshairMoved(std::nan(""));
        return;
    }
    // The crosshair is drawn at the measured x nearest to the mouse.
    const QPointF mouse = valueAt(where);
    double x = std::numeric_limits<double>::quiet_NaN();
    std::map<RunId, double> ends;  // last step of a run's quantities
    for (const Shown& each : m_shown) {
        const qsizetype i = each.data->nearest(mouse.x());
        if (i >= 0) ends[each.id.run] = std::max(ends[each.id.run], each.data->x().last());
        if (i >= 0 && !(std::abs(each.data->x()[i] - mouse.x()) >= std::abs(x - mouse.x()))) {
            x = each.data->x()[i];
        }
    }
    // One row per run with its values of all quantities. Validation is rarer than the steps of training between whose
    // points the crosshair moves: where its step is the same for all runs, the title names it, else each row does.
    std::map<Quantity, std::set<double>> steps;
    std::map<RunId, std::map<Quantity, double>> values;
    QList<PlotReadout::Row> rows;
    QList<RunId> runs;
    for (const Shown& each : m_shown) {
        const QList<double>& xs = each.data->x();
        const qsizetype at = each.data->nearest(x);
        if (at < 0 || x < xs.first() || x > ends[each.id.run]) {
            continue;
        }
        const double y = shownValues(each.id, *each.data)[at];
        if (!runs.contains(each.id.run)) {
            FigureCurve look;  // of the main quantity, also while only others have values here
            look.ink = inkOf(each.id.run);
            const bool strong = each.id.run == representativeOf(m_hovered != kNoRun ? m_hovered : m_picked);
            rows.append({.label = each.label, .value = {}, .pen = m_style.penOf(look), .y = y, .strong = strong});
            runs.append(each.id.run);
        }
        PlotReadout::Row& row = rows[runs.indexOf(each.id.run)];
        if (each.id.quantity == m_quantities.front()) row.y = y;
        row.dots.append({xs[at], y});
        values[each.id.run][each.id.quantity] = y;
        steps[each.id.quantity].insert(xs[at]);
    }
    QStringList titles;
    for (const Quantity quantity : m_quantities) {
        const std::set<double>& own = steps[quantity];
        QString title = nameOf(quantity);
        if (own.size() == 1 && *own.begin() != x) title += u" at step %1"_s.arg(readableCount(*own.begin()));
        titles << title;
    }
    const bool namesSteps = m_quantities.size() == 1;  // the title of one quantity is only the step
    const bool differs = std::any_of(steps.begin(), steps.end(), [](const auto& own) { return own.second.size() > 1; });
    for (qsizetype i = 0; i < rows.size(); ++i) {
        QStringList texts;
        for (const Quantity quantity : m_quantities) {
            const auto value = values[runs[i]].find(quantity);
            texts << (value == values[runs[i]].end() ? u"–"_s : readableNumber(value->second));
        }
        rows[i].value = texts.join(u" / "_s);
        const auto other =
            std::find_if(rows[i].dots.begin(), rows[i].dots.end(), [&](const QPointF& dot) { return dot.x() != x; });
        if (other != rows[i].dots.end() && (namesSteps || differs)) {
            rows[i].label += u" at step %1"_s.arg(readableCount(other->x()));
        }
    }
    // Sorts the rows in the order of the curves on screen; missing values come last.
    std::stable_sort(rows.begin(), rows.end(), [](const PlotReadout::Row& a, const PlotReadout::Row& b) {
        return std::isfinite(a.y) && (!std::isfinite(b.y) || a.y > b.y);
    });
    emit crosshairMoved(x);
    const QString step = u"step %1"_s.arg(readableCount(x));
    m_readout->show(namesSteps ? step : u"%1, %2"_s.arg(step, titles.join(u" / "_s)), x, rows, m_style, mouse.y());
}

double CurvePlot::shownValue(RunId run, double x) const {
    const CurveId id{run, m_quantities.front()};
    const CurveData* points = shownData(id);
    if (!points || x < points->x().first() || x > points->x().last()) return std::nan("");
    return shownValues(id, *points)[points->nearest(x)];
}

void CurvePlot::zoom(double factor) {
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->scaleRange(factor);
    }
}

void CurvePlot::pan(double x, double y) {
    const std::pair<QCPAxis*, double> moves[] = {{m_plot->xAxis, x}, {m_plot->yAxis, y}};
    for (const auto& [axis, fraction] : moves) {
        const QCPRange range = axis->range();
        if (fraction == 0) {
            continue;
        }
        if (axis->scaleType() == QCPAxis::stLogarithmic) {
            axis->moveRange(std::pow(range.upper / range.lower, fraction));
        } else {
            axis->moveRange(range.size() * fraction);
        }
    }
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    constexpr double step = 0.1;
    switch (event->key()) {
        case Qt::Key_Left:
            return pan(-step, 0);
        case Qt::Key_Right:
            return pan(step, 0);
        case Qt::Key_Up:
            return pan(0, step);
        case Qt::Key_Down:
            return pan(0, -step);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(0.8);
        case Qt::Key_Minus:
            return zoom(1.25);
        case Qt::Key_R:
        case Qt::Key_Home:
            return resetView();
        case Qt::Key_L:
            return setYLogarithmic(!m_yLog);
        case Qt::Key_Escape:
            if (m_picked != kNoRun) {
                return pickRun(kNoRun);
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace ropelab::ui
