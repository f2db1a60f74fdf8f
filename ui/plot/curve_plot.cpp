#include "ui/plot/curve_plot.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "ui/plot/plot_readout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kFrameMs = 33;

}  // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : PlotWidget(parent),
      m_lossUnit(lossUnit(QString())),
      m_floorLabel(u"best possible loss"_s),
      m_name(u"training"_s) {
    setAccessibleName(u"Plot of %1"_s.arg(m_name));
    m_plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
            if (!m_settingRanges) {
                setFollows(false);
                m_timer.start(0);
            }
        });
    }
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, &CurvePlot::resetView);
    connect(this, &PlotWidget::left, this, [this] {
        highlight(kNoRun);
        emit crosshairMoved(std::nan(""));
    });
    restyle();
}

QSize CurvePlot::sizeHint() const {
    const ThemeManager& theme = ThemeManager::instance();
    return {theme.pixels(640), theme.pixels(400)};
}

QSize CurvePlot::minimumSizeHint() const {
    const ThemeManager& theme = ThemeManager::instance();
    return {theme.pixels(260), theme.pixels(180)};
}

bool CurvePlot::addRun(RunId run, const QString& label, Ink ink) {
    const std::size_t before = m_runs.size();
    Run& entry = m_runs.try_emplace(m_runs.end(), run)->second;
    entry.label = label;
    entry.ink = ink;
    schedule();
    return m_runs.size() > before;
}

void CurvePlot::setState(RunId run, const State& state) {
    const auto found = m_runs.find(run);
    if (found == m_runs.end()) return;
    if (found->second.visible != state.visible) m_readout->hide();
    static_cast<State&>(found->second) = state;
    schedule();
}

void CurvePlot::removeRun(RunId run) {
    m_runs.erase(run);
    std::erase_if(m_curves, [run](const auto& each) { return each.first.run == run; });
    m_shown.clear();  // its elements point into the curves
    if (m_picked == run) {
        pickRun(kNoRun);
    }
    if (m_hovered == run) {
        highlight(kNoRun);
    }
    m_readout->hide();
    schedule();
}

void CurvePlot::clear() {
    m_runs.clear();
    m_curves.clear();
    m_groups.clear();
    m_groupOf.clear();
    m_painted.reset();
    m_shown.clear();
    m_floor.reset();
    m_rungs.clear();
    m_horizon = 0;
    pickRun(kNoRun);
    highlight(kNoRun);
    m_readout->hide();
    setFollows(true);
    schedule();
}

void CurvePlot::keepGhosts() {
    std::vector<FigureCurve> ghosts;
    std::vector<FigureCurve> earlier = std::exchange(m_ghosts, {});
    std::vector<Shown> shown;
    for (FigureCurve& curve : figure(&shown).curves) {
        if (curve.shape == FigureCurve::Shape::points) continue;
        curve.label.clear();
        curve.raw.clear();
        curve.dots = false;
        curve.companion = true;
        curve.emphasis = FigureCurve::Emphasis::dimmed;
        ghosts.push_back(std::move(curve));
    }
    m_ghosts = std::move(ghosts.empty() ? earlier : ghosts);
    schedule();
}

void CurvePlot::dropGhosts() {
    m_ghosts.clear();
    schedule();
}

std::vector<RunId> CurvePlot::runs() const {
    std::vector<RunId> result;
    for (const auto& [run, entry] : m_runs) {
        result.push_back(run);
    }
    return result;
}

void CurvePlot::append(CurveId curve, double x, double y) {
    if (m_runs.contains(curve.run)) {
        m_curves[curve].append(x, y);
        if (std::find(m_quantities.begin(), m_quantities.end(), curve.quantity) != m_quantities.end()) {
            schedule();
        }
    }
}

void CurvePlot::append(const event::Step& step) {
    const auto x = static_cast<double>(step.iteration);
    append({step.run, Quantity::training_loss}, x, step.training_loss);
    append({step.run, Quantity::gradient_norm}, x, step.gradient_norm);
    append({step.run, Quantity::learning_rate}, x, step.learning_rate);
}

void CurvePlot::append(const event::Evaluated& evaluated) {
    append({evaluated.run, Quantity::validation_loss}, static_cast<double>(evaluated.iteration),
           evaluated.validation_loss);
}

void CurvePlot::setCurve(CurveId curve, const QList<double>& x, const QList<double>& y) {
    if (m_runs.contains(curve.run)) {
        QList<double>& steps = m_sharedSteps[curve.quantity];
        if (steps != x) steps = x;
        m_curves[curve].set(steps, y);
        schedule();
    }
}

void CurvePlot::truncate(RunId run, double lastX) {
    for (auto& [id, curve] : m_curves) {
        if (id.run == run) {
            curve.truncate(lastX);
        }
    }
    schedule();
}

void CurvePlot::setPainted(std::optional<std::set<RunId>> runs, const QString& which) {
    m_whichPainted = which;
    if (runs == m_painted) return;
    m_painted = std::move(runs);
    m_readout->hide();
    schedule();
}

void CurvePlot::setGroups(std::vector<CurveGroup> groups) {
    if (groups == m_groups) {
        return;
    }
    m_groups = std::move(groups);
    m_groupOf.clear();
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        for (const RunId run : m_groups[i].runs) m_groupOf.emplace(run, i);
    }
    m_shown.clear();
    m_readout->hide();
    schedule();
}

QList<double> CurvePlot::xValues(CurveId curve) const {
    const auto found = m_curves.find(curve);
    return found == m_curves.end() ? QList<double>() : found->second.x();
}

QList<double> CurvePlot::yValues(CurveId curve) const {
    const auto found = m_curves.find(curve);
    return found == m_curves.end() ? QList<double>() : found->second.y();
}

bool CurvePlot::isRunVisible(RunId run) const {
    const auto found = m_runs.find(run);
    return found != m_runs.end() && found->second.visible;
}

void CurvePlot::setShownQuantities(const std::vector<Quantity>& shown) {
    if (shown.empty() || shown == m_quantities) {
        return;
    }
    m_quantities = shown;
    m_ghosts.clear();
    m_readout->hide();
    setFollows(true);
    schedule();
}

void CurvePlot::setSmoothing(double weight) {
    m_smoothing = std::isfinite(weight) ? std::clamp(weight, 0.0, 0.999) : 0.0;
    schedule();
}

void CurvePlot::setYLogarithmic(bool on) {
    if (on != m_yLog) {
        m_yLog = on;
        setFollows(true);
        schedule();
        emit yLogarithmicChanged(on);
    }
}

void CurvePlot::setLossUnit(const LossUnit& unit) {
    m_lossUnit = unit;
    m_ghosts.clear();
    m_readout->hide();
    setFollows(true);
    schedule();
}

void CurvePlot::setTokenizersDiffer(bool differ) {
    if (differ == m_tokenizersDiffer) return;
    m_tokenizersDiffer = differ;
    schedule();
}

void CurvePlot::setLossUnitKnown(bool isKnown) {
    if (std::exchange(m_isLossUnitKnown, isKnown) != isKnown) schedule();
}

void CurvePlot::setFloor(std::optional<double> nats, const QString& label) {
    m_floor = nats;
    if (!label.isEmpty()) {
        m_floorLabel = label;
    }
    schedule();
}

void CurvePlot::setHorizon(double iterations) {
    m_horizon = std::isfinite(iterations) ? std::max(0.0, iterations) : 0.0;
    schedule();
}

void CurvePlot::setRungs(const QList<double>& iterations) {
    if (m_rungs == iterations) return;
    m_rungs = iterations;
    schedule();
}

void CurvePlot::setName(const QString& name) {
    m_name = name;
    setAccessibleName(u"Plot of %1"_s.arg(m_name));
}

void CurvePlot::setRunVisible(RunId run, bool visible) {
    const auto found = m_runs.find(run);
    if (found == m_runs.end() || found->second.visible == visible) {
        return;
    }
    found->second.visible = visible;
    m_readout->hide();
    schedule();
    emit runVisibilityChanged(run, visible);
}

void CurvePlot::pickRun(RunId run) {
    if (run != kNoRun && !m_runs.contains(run)) {
        run = kNoRun;
    }
    if (run != m_picked) {
        m_picked = run;
        schedule();
        emit runPicked(run);
    }
}

void CurvePlot::highlight(RunId run) {
    if (run == m_hovered) {
        return;
    }
    m_hovered = run;
    schedule();
}

void CurvePlot::setFollows(bool follows) {
    if (follows != m_follows) {
        m_follows = follows;
        emit followsDataChanged(follows);
    }
}

void CurvePlot::resetView() {
    setFollows(true);
    schedule();
}

int CurvePlot::repaintDelay() const {
    // Limits painting to at most one third of the time of the GUI thread.
    return std::max(kFrameMs, static_cast<int>(3 * (m_refreshMs + m_plot->replotTime(true))));
}

}  // namespace ropelab::ui

#include "moc_curve_plot.cpp"
