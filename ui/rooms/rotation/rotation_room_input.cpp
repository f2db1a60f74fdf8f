#include <QKeyEvent>
#include <QScopeGuard>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/dials_figure.h"
#include "ui/rooms/rotation/logit_figure.h"
#include "ui/rooms/rotation/pair_figure.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/rooms/rotation/shift_card.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kReach = 18;              // largest distance from the tip of an arrow to grab it, in pixels at 100 %
constexpr double kRadiansPerPixel = 0.01;  // rotation of the helix per dragged pixel at 100 %
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kSteepest = 1.4;

}  // namespace

void RotationRoom::moveTo(std::int64_t m, std::int64_t n) {
    m_scene.state.shiftedFrom.reset();
    m_scene.state.m = m;
    m_scene.state.n = n;
    m_scene.refit();
    schedule();
}

void RotationRoom::scrub(std::int64_t m, std::int64_t n, bool movesQuery) {
    const auto move = [this, m, n, movesQuery] {
        if (!m_bar->locksDistance()) return moveTo(m, n);
        const RotationState& state = m_scene.state;
        if (!moveBy(movesQuery ? m - state.m : n - state.n)) {
            schedule();  // resets the slider to the current position
        }
    };
    change(tr("move positions"), move, true);
}

void RotationRoom::stepBy(int by) {
    change(
        tr("step positions"), [this, by] { moveBy(by); }, true);
}

bool RotationRoom::moveBy(std::int64_t by) {
    const RotationState& state = m_scene.state;
    const bool isLocked = m_bar->locksDistance();
    const std::int64_t last = m_scene.setup.context - 1;
    const std::int64_t low = isLocked ? std::min(state.m, state.n) : state.m;
    const std::int64_t high = isLocked ? std::max(state.m, state.n) : state.m;
    const std::int64_t allowed = by < 0 ? std::max(by, -low) : std::max<std::int64_t>(0, std::min(by, last - high));
    if (allowed == 0) {
        return false;
    }
    moveTo(state.m + allowed, isLocked ? state.n + allowed : state.n);
    return true;
}

void RotationRoom::play(bool on) {
    if (on == isPlaying()) {
        return;
    }
    if (!on) {
        m_timer.stop();
        m_bar->showPlaying(false);
        recordPlayback();
        m_playedFrom.reset();
        return;
    }
    m_playedFrom = m_scene.state;
    const RotationState& state = m_scene.state;
    const bool isLocked = m_bar->locksDistance();
    const std::int64_t last = m_scene.setup.context - 1;
    if ((isLocked ? std::max(state.m, state.n) : state.m) >= last) {
        // At the end of the context, playback restarts at the beginning.
        const std::int64_t back = isLocked ? std::min(state.m, state.n) : state.m;
        moveTo(state.m - back, isLocked ? state.n - back : state.n);
    }
    m_rest = 0;
    m_clock.start();
    m_timer.start();
    m_bar->showPlaying(true);
}

void RotationRoom::advance(double seconds) {
    m_rest += seconds * m_bar->speed();
    const double whole = std::floor(m_rest);
    if (whole < 1) {
        return;
    }
    m_rest -= whole;
    if (!moveBy(static_cast<std::int64_t>(whole))) {
        play(false);
    }
}

void RotationRoom::shift() {
    play(false);
    change(tr("shift m and n by 1,000 positions"), [this] {
        RotationState& state = m_scene.state;
        if (!state.shiftedFrom) {
            state.shiftedFrom = RotationState::Place{state.m, state.n};
        }
        state.m += ShiftCard::kShift;
        state.n += ShiftCard::kShift;
        schedule();
    });
}

void RotationRoom::undoShift() {
    if (const auto from = m_scene.state.shiftedFrom) {
        change(tr("shift m and n back"), [this, from] { moveTo(from->m, from->n); });
    }
}

void RotationRoom::chooseVectors(VectorSource source) {
    change(tr("change the source of q and k"), [this, source] { useVectors(source); });
}

void RotationRoom::useVectors(VectorSource source) {
    m_scene.state.source = source;
    if (source == VectorSource::random) {
        m_scene.sampleVectors();
    } else {
        m_scene.refit();
    }
    schedule();
}

void RotationRoom::sampleAgain() {
    change(tr("resample q and k"), [this] {
        RotationState& state = m_scene.state;
        ++state.seed;
        if (state.source == VectorSource::handEdited) {
            state.source = VectorSource::random;
        }
        m_scene.sampleVectors();
        schedule();
    });
}

void RotationRoom::useRunVectors(const RotarySetup& setup, const HeadVectors& vectors, const QString& origin) {
    RotarySetup next = setup;
    next.precision = model().setup().precision;
    model().endDrag();
    ModelShape shape = model().shape();
    shape.name.clear();
    const QString what = tr("load q and k from a run");
    // The setup and the vectors are one step.
    model().undoStack().beginMacro(what);
    const auto end = qScopeGuard([this] { model().undoStack().endMacro(); });
    model().change(what, next, shape);
    model().endDrag();
    change(what, [&] {
        m_scene.setSetup(model().setup(), model().frequencies());
        m_scene.state.source = VectorSource::trained;
        m_scene.state.origin = origin.toStdString();
        m_scene.state.queryEdited = false;
        m_scene.state.query = vectors.query;
        m_scene.state.key = vectors.key;
        schedule();
    });
}

void RotationRoom::aimAt(std::int64_t distance) {
    const auto aim = [this, distance] {
        m_scene.state.distance = distance;
        m_scene.state.source = VectorSource::aimed;
        m_scene.refit();
        schedule();
    };
    change(tr("aim k at distance r"), aim, true);
}

void RotationRoom::pickNeighbour(int by) {
    const auto pair = m_scene.enlargedPair();
    if (pair) {
        model().pickPair(std::clamp(*pair + by, 0, model().pairs() - 1), true);
    }
}

void RotationRoom::connectDials() {
    const auto at = [this](const QPointF& place) {
        return pairAt(m_scene, m_dials->canvasRect(), m_dials->style(), place);
    };
    connect(m_dials, &FigureView::hovered, this, [this, at](const QPointF& place) {
        const auto pair = at(place);
        model().hoverPair(pair);
        m_dials->setToolTip(dialsToolTip(m_scene, pair));
    });
    connect(m_dials, &FigureView::left, this, [this] { model().hoverPair(std::nullopt); });
    connect(m_dials, &FigureView::clicked, this, [this, at](const QPointF& place) {
        if (const auto pair = at(place)) {
            model().pickPair(pair);
        }
    });
    connect(m_dials, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        const int columns = gridOf(m_scene, m_dials->canvasRect(), m_dials->style()).columns;
        switch (key) {
            case Qt::Key_Left:
                return pickNeighbour(-1);
            case Qt::Key_Right:
                return pickNeighbour(1);
            case Qt::Key_Up:
                return pickNeighbour(-columns);
            case Qt::Key_Down:
                return pickNeighbour(columns);
            case Qt::Key_Home:
                return pickNeighbour(-model().pairs());
            case Qt::Key_End:
                return pickNeighbour(model().pairs());
            default:
                return;
        }
    });
}

RotationRoom::Arrow RotationRoom::arrowNear(const QPointF& place) const {
    const auto pair = m_scene.enlargedPair();
    if (!pair) {
        return Arrow::none;
    }
    const EnlargedDial dial = enlargedDialOf(m_scene, m_pair->canvasRect(), m_pair->style());
    const auto distance = [&](std::complex<double> value) {
        const QPointF from = dial.pointOf(value) - place;
        return std::hypot(from.x(), from.y());
    };
    const double query = distance(m_scene.rotatedQuery(*pair));
    const double key = distance(m_scene.rotatedKey(*pair));
    if (std::min(query, key) > ThemeManager::instance().px(kReach)) {
        return Arrow::none;
    }
    return query <= key ? Arrow::query : Arrow::key;
}

void RotationRoom::dragArrow(const QPointF& place) {
    const auto pair = m_scene.enlargedPair();
    if (!pair || m_dragged == Arrow::none) {
        return;
    }
    const EnlargedDial dial = enlargedDialOf(m_scene, m_pair->canvasRect(), m_pair->style());
    if (m_dragged == Arrow::query) {
        m_scene.setRotatedQuery(*pair, dial.valueAt(place));
    } else {
        m_scene.setRotatedKey(*pair, dial.valueAt(place));
    }
    schedule();
}

void RotationRoom::rotateArrow(double radians, double stretch) {
    const auto pair = m_scene.enlargedPair();
    if (!pair) {
        return;
    }
    const std::complex<double> by = std::polar(stretch, radians);
    const auto rotate = [this, pair = *pair, by] {
        if (m_chosen == Arrow::key) {
            m_scene.setRotatedKey(pair, m_scene.rotatedKey(pair) * by);
        } else {
            m_scene.setRotatedQuery(pair, m_scene.rotatedQuery(pair) * by);
        }
        schedule();
    };
    change(tr("edit the arrow of %1, pair %2").arg(m_chosen == Arrow::key ? tr("k") : tr("q")).arg(*pair), rotate,
           true);
}

void RotationRoom::connectPair() {
    connect(m_pair, &FigureView::pressed, this, [this](const QPointF& place) {
        m_dragged = arrowNear(place);
        if (m_dragged != Arrow::none) {
            m_chosen = m_dragged;
            recordPlayback();
            m_beforeDrag = m_scene.state;
            // The dial does not change its scale while an arrow is dragged.
            m_scene.state.fixedRim = rimOf(m_scene);
        }
    });
    connect(m_pair, &FigureView::dragged, this, &RotationRoom::dragArrow);
    connect(m_pair, &FigureView::released, this, [this] {
        const auto pair = m_scene.enlargedPair();
        if (m_beforeDrag && pair) {
            record(tr("drag the arrow of %1, pair %2").arg(m_dragged == Arrow::key ? tr("k") : tr("q")).arg(*pair),
                   *m_beforeDrag, false);
        }
        m_beforeDrag.reset();
        m_dragged = Arrow::none;
        m_scene.state.fixedRim.reset();
        schedule();
    });
    connect(m_pair, &FigureView::hovered, this, [this](const QPointF& place) {
        // The child widget under the mouse is the canvas of the view.
        if (QWidget* surface = m_pair->childAt(place.toPoint())) {
            surface->setCursor(arrowNear(place) == Arrow::none ? Qt::ArrowCursor : Qt::PointingHandCursor);
        }
    });
    connect(m_pair, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers modifiers) {
        const double step = modifiers.testFlag(Qt::ShiftModifier) ? 15 : 1;
        switch (key) {
            case Qt::Key_Q:
                m_chosen = Arrow::query;
                return;
            case Qt::Key_K:
                m_chosen = Arrow::key;
                return;
            case Qt::Key_Left:
                return rotateArrow(step * kDegree, 1);
            case Qt::Key_Right:
                return rotateArrow(-step * kDegree, 1);
            case Qt::Key_Up:
                return rotateArrow(0, 1 + step / 100);
            case Qt::Key_Down:
                return rotateArrow(0, 1 / (1 + step / 100));
            default:
                return;
        }
    });
}

void RotationRoom::connectLogit() {
    connect(m_logit, &FigureView::hovered, this,
            [this](const QPointF& place) { model().hoverPair(pairOfBar(m_scene, place.x())); });
    connect(m_logit, &FigureView::left, this, [this] { model().hoverPair(std::nullopt); });
    connect(m_logit, &FigureView::clicked, this, [this](const QPointF& place) {
        if (const auto pair = pairOfBar(m_scene, place.x())) {
            model().pickPair(pair);
        }
    });
    connect(m_logit, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            pickNeighbour(key == Qt::Key_Left ? -1 : 1);
        }
    });
    const auto readout = [](const RotationScene& scene, QPointF place) -> Readout {
        const auto bar = barText(scene, place.x());
        if (!bar) {
            return std::nullopt;
        }
        return FigureView::Readout{
            bar->title, bar->x, {{tr("contribution"), bar->part, -1}, {tr("cumulative sum"), bar->sum, -1}}};
    };
    m_logit->setReadout([this, readout](QPointF place) {
        const Readout mine = readout(m_scene, place);
        const auto& other = model().other();
        return other ? bothReadouts(mine, readout(otherScene(*other), place)) : mine;
    });
}

void RotationRoom::connectHelix() {
    const auto rotateView = [this](double yaw, double pitch) {
        RotationState& state = m_scene.state;
        state.yaw = std::clamp(state.yaw + yaw, -kSteepest, kSteepest);
        state.pitch = std::clamp(state.pitch + pitch, -kSteepest, kSteepest);
        schedule();
    };
    connect(m_helix, &FigureView::pressed, this, [this](const QPointF& place) { m_lastDrag = place; });
    connect(m_helix, &FigureView::dragged, this, [this, rotateView](const QPointF& place) {
        const QPointF by = (place - m_lastDrag) * (kRadiansPerPixel / ThemeManager::instance().px(1));
        m_lastDrag = place;
        rotateView(by.x(), by.y());
    });
    connect(m_helix, &FigureView::keyPressed, this, [rotateView](int key, Qt::KeyboardModifiers) {
        constexpr double step = 5 * kDegree;
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            rotateView(key == Qt::Key_Left ? -step : step, 0);
        } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
            rotateView(0, key == Qt::Key_Up ? -step : step);
        }
    });
}

void RotationRoom::keyPressEvent(QKeyEvent* event) {
    // Only keys that the views and fields did not handle arrive here.
    if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
        switch (event->key()) {
            case Qt::Key_P:
                return play(!isPlaying());
            case Qt::Key_Comma:
                return stepBy(-1);
            case Qt::Key_Period:
                return stepBy(1);
            default:
                break;
        }
    }
    RotaryRoom::keyPressEvent(event);
}

}  // namespace ropelab::ui
