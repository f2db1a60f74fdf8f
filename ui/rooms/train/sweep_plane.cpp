#include "ui/rooms/train/sweep_plane.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/settings/run_names.h"
#include "ui/common/scaled.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/session/experiment_model.h"
#include "ui/session/run_access.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLowest = 60;  // height of the plane in pixels at 100 %
constexpr int kNear = 12;    // pixels at 100 %, between the mouse and the point that it takes

FigureCurve pointAt(double theta, double fraction, Ink ink, double size) {
    FigureCurve point;
    point.quantity = u"rotated fraction"_s;
    point.shape = FigureCurve::Shape::points;
    point.ink = ink;
    point.pointPt = size;
    point.x = {theta};
    point.y = {fraction};
    return point;
}

QString words(const PlanePoint& point) {
    return u"θ %1, %2"_s.arg(QString::fromStdString(number_in_names(point.theta_number)),
                             QString::fromStdString(fraction_text(point.fraction_number, 0)));
}

}  // namespace

SweepPlane::SweepPlane(SessionActions& actions, ExperimentModel& experiment, const RunStore& runs, QWidget* parent)
    : QFrame(parent), m_actions(actions), m_experiment(experiment), m_runs(runs), m_view(new FigureView(this)) {
    auto* column = scaledColumn(this, 0, {8, 8, 8, 8});
    m_view->setAccessibleName(u"The sweep's settings of θ and of the rotated fraction"_s);
    m_view->setWhatsThis(
        u"Each ring is a setting that the sweep trains. Click a free place to add a setting, drag a ring to move it, "
        "press Delete to remove the ring that was clicked last. Filled points are finished runs that the plot shows, "
        "with the mean of their best validation losses. θ is rounded to two digits, the fraction to whole pairs of "
        "channels."_s);
    scaleMinimumHeight(m_view, kLowest);  // a low window keeps its other pages whole
    column->addWidget(m_view);
    connect(m_view, &FigureView::pressed, this, [this](const QPointF& place) { press(place); });
    connect(m_view, &FigureView::dragged, this, [this](const QPointF& place) { drag(place); });
    connect(m_view, &FigureView::released, this, &SweepPlane::release);
    connect(m_view, &FigureView::clicked, this, [this](const QPointF& place) {
        if (!pointNear(place)) add(place);
    });
    connect(m_view, &FigureView::keyPressed, this, [this](int key) {
        if (key == Qt::Key_Delete || key == Qt::Key_Backspace) removePicked();
    });
    connect(&m_experiment, &ExperimentModel::changed, this, &SweepPlane::renew);
    connect(&m_runs, &RunStore::reloaded, this, &SweepPlane::renew);
    connect(&m_runs, &RunStore::runChanged, this, [this](RunId run) {
        const RunView* view = m_runs.find(run);
        if (view && view->record.summary) m_renewal.start();
    });
    m_renewal.setSingleShot(true);
    connect(&m_renewal, &QTimer::timeout, this, &SweepPlane::renew);
    connect(&m_runs, &RunStore::visibilityChanged, &m_renewal, qOverload<>(&QTimer::start));
    renew();
}

void SweepPlane::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    renew();
}

void SweepPlane::renew() {
    if (!isVisible() && !m_points.empty()) return;  // it is renewed when it is shown
    m_problem.clear();
    try {
        m_points = plane_points(m_experiment.value());
    } catch (const BadInput& error) {
        m_points.clear();
        m_problem = QString::fromStdString(error.what());
    }
    if (m_picked && *m_picked >= m_points.size()) m_picked.reset();
    m_view->setFigure(figure());
}

Figure SweepPlane::figure() const {
    Figure figure;
    figure.name = u"sweep-plane"_s;
    figure.x = {.label = u"θ"_s, .unit = {}, .logarithmic = true};
    figure.y = {.label = u"rotated fraction"_s, .unit = {}};
    figure.y.minimum = -0.06;
    figure.y.maximum = 1.1;
    figure.y.marks = {0, 0.25, 0.5, 0.75, 1};
    figure.emptyText = m_problem;
    if (m_points.empty()) return figure;

    double low = 200;
    double high = 5e5;
    std::map<std::pair<double, double>, std::vector<const RunView*>> finished;
    for (const RunView& run : m_runs.runs()) {
        if (run.visible && run.record.summary && run.spec.position == Position::rope)
            finished[{run.spec.theta, run.spec.fraction}].push_back(&run);
    }
    for (const auto& [place, runs] : finished) {
        double sum = 0;
        for (const RunView* run : runs) sum += run->record.summary->best_validation_loss;
        FigureCurve point = pointAt(place.first, place.second, runs.front()->ink, 6);
        point.ink.shade = 0;
        point.label = readableNumber(sum / static_cast<double>(runs.size()));
        figure.curves.push_back(std::move(point));
        low = std::min(low, place.first);
        high = std::max(high, place.first);
    }
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const bool isPicked = m_picked == i;
        const PlanePoint& shown = isPicked && m_moved ? *m_moved : m_points[i];
        FigureCurve ring = pointAt(shown.theta_number, shown.fraction_number, {Ink::Kind::accent}, isPicked ? 13 : 10);
        ring.companion = true;
        if (isPicked && m_moved) ring.label = words(shown);
        figure.curves.insert(figure.curves.begin(), std::move(ring));  // behind the runs that lie on it
        low = std::min(low, shown.theta_number);
        high = std::max(high, shown.theta_number);
    }
    figure.x.minimum = std::pow(10.0, std::floor(std::log10(low * 0.7)));
    figure.x.maximum = std::pow(10.0, std::ceil(std::log10(high * 1.4)));
    const auto hasNone = [](const PlanePoint& point) { return point.fraction_number == 0; };
    figure.note =
        u"large: settings of the sweep (click: add, drag: move, Delete: remove)"_s +
        (finished.empty() ? QString() : u"; small: finished or stopped runs, mean of their best validation losses"_s) +
        (std::ranges::any_of(m_points, hasNone) ? u"; θ has no effect at fraction 0"_s : QString());
    figure.summary = u"The sweep trains %1 settings of θ and fraction."_s.arg(m_points.size());
    return figure;
}

std::optional<std::size_t> SweepPlane::pointNear(const QPointF& place) const {
    const QPointF at = m_view->pixelOf(place);
    std::optional<std::size_t> nearest;
    double least = ThemeManager::instance().pixels(kNear);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF away = m_view->pixelOf({m_points[i].theta_number, m_points[i].fraction_number}) - at;
        const double distance = std::hypot(away.x(), away.y());
        if (distance > least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

void SweepPlane::press(const QPointF& place) {
    m_picked = pointNear(place);
    m_isPressed = m_picked.has_value();
    if (m_picked) m_view->setFigure(figure());
}

void SweepPlane::drag(const QPointF& place) {
    if (!m_isPressed) return;
    m_moved = snapped_point(m_experiment.value(), place.x(), place.y());
    m_view->setFigure(figure());
}

void SweepPlane::release() {
    m_isPressed = false;
    if (!m_moved) return;
    std::vector<PlanePoint> points = m_points;
    const PlanePoint moved = *std::exchange(m_moved, std::nullopt);
    const QString text = u"move %1 to %2"_s.arg(words(points[*m_picked]), words(moved));
    points[*m_picked] = moved;
    change(text, points);
}

void SweepPlane::add(const QPointF& place) {
    if (m_points.empty()) return;
    std::vector<PlanePoint> points = m_points;
    points.push_back(snapped_point(m_experiment.value(), place.x(), place.y()));
    m_picked = points.size() - 1;
    change(u"add %1"_s.arg(words(points.back())), points);
}

void SweepPlane::removePicked() {
    if (!m_picked || m_points.size() < 2) return;
    std::vector<PlanePoint> points = m_points;
    const QString text = u"remove %1"_s.arg(words(points[*m_picked]));
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(*m_picked));
    m_picked.reset();
    change(text, points);
}

void SweepPlane::change(const QString& text, const std::vector<PlanePoint>& points) {
    m_actions.attempt(u"plane"_s, [&] {
        m_experiment.edit(text, [&](Experiment& experiment) { set_plane_points(experiment, points); });
    });
    renew();
}

}  // namespace ropelab::ui

#include "moc_sweep_plane.cpp"
