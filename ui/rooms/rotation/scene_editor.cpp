#include "ui/rooms/rotation/scene_editor.h"

#include <QPointer>
#include <QScopeGuard>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/common/format.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_pages.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kFrameMs = 16;
constexpr double kSteepest = 1.4;

bool haveSamePositions(const RotationState& a, const RotationState& b) {
    return a.m == b.m && a.n == b.n && a.shiftedFrom.has_value() == b.shiftedFrom.has_value();
}

/// Aimed keys follow from the query and the distance.
bool haveSameVectors(const RotationState& a, const RotationState& b) {
    return a.source == b.source && a.query == b.query && (a.source == VectorSource::aimed || a.key == b.key);
}

/// As "m 100 → 400"; "" if the vectors or the texts differ too.
QString rotationChanges(const RotationState& from, const RotationState& to) {
    if (!haveSameVectors(from, to) || from.text != to.text) return {};
    QStringList changes;
    const auto add = [&changes](const char* name, std::int64_t before, std::int64_t after) {
        if (before == after) return;
        changes << changedValue(QString::fromLatin1(name), groupedText(before), groupedText(after));
    };
    add("m", from.m, to.m);
    add("n", from.n, to.n);
    add("r", from.distance, to.distance);
    return changedValues(changes);
}

/// Consecutive steps of a drag are merged into one.
class SceneStep : public UndoStep {
 public:
    SceneStep(SceneEditor& editor, const QString& what, RotationState from, RotationState to, bool mayMerge)
        : UndoStep(what), m_editor(&editor), m_from(std::move(from)), m_to(std::move(to)), m_mayMerge(mayMerge) {}

    void undo() override {
        if (!m_editor) return;
        m_editor->endMerging();
        m_editor->restore(m_from);
    }
    void redo() override {
        if (m_editor) m_editor->restore(m_to);
    }
    QString values(bool undone) const override {
        return undone ? rotationChanges(m_to, m_from) : rotationChanges(m_from, m_to);
    }
    int id() const override { return 0x5270; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* later = static_cast<const SceneStep*>(other);
        if (!later->m_mayMerge || later->text() != text()) return false;
        m_to = later->m_to;
        return true;
    }

 private:
    QPointer<SceneEditor> m_editor;  // the stack outlives the room
    RotationState m_from;
    RotationState m_to;
    bool m_mayMerge;
};

}  // namespace

SceneEditor::SceneEditor(RotaryModel& model, const PositionBar& bar, QObject* parent)
    : QObject(parent), m_model(model), m_bar(bar) {
    adoptSetup();
    // A smaller context or head dimension limits positions, distance and vectors; undoing it brings them back.
    m_model.keepForUndo(this, [this] {
        // While the positions play, the undo stack knows only those from which the playback started.
        return [editor = QPointer<SceneEditor>(this), state = m_playedFrom.value_or(m_scene.state)] {
            if (!editor) return;
            editor->endMerging();
            editor->restore(state);
        };
    });
    m_timer.setInterval(kFrameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        const auto milliseconds = static_cast<double>(m_clock.restart());
        advance(milliseconds / 1000);
    });
}

void SceneEditor::adoptSetup() {
    m_scene.setSetup(m_model.setup(), m_model.frequencies());
}

void SceneEditor::rotateView(double yaw, double pitch) {
    RotationState& state = m_scene.state;
    state.yaw = std::clamp(state.yaw + yaw, -kSteepest, kSteepest);
    state.pitch = std::clamp(state.pitch + pitch, -kSteepest, kSteepest);
    emit changed();
}

void SceneEditor::moveTo(std::int64_t m, std::int64_t n) {
    m_scene.state.shiftedFrom.reset();
    m_scene.state.wished.reset();
    m_scene.state.m = m;
    m_scene.state.n = n;
    m_scene.refit();
    emit changed();
}

void SceneEditor::scrub(Arrow moved, std::int64_t position) {
    const auto move = [this, moved, position] {
        const RotationState& state = m_scene.state;
        const bool movesQuery = moved == Arrow::query;
        if (!m_bar.locksDistance()) return moveTo(movesQuery ? position : state.m, movesQuery ? state.n : position);
        moveBy(position - (movesQuery ? state.m : state.n));
    };
    change(u"move positions"_s, move, true);
}

void SceneEditor::stepBy(int by) {
    change(
        u"step positions"_s, [this, by] { moveBy(by); }, true);
}

bool SceneEditor::moveBy(std::int64_t by) {
    const RotationState& state = m_scene.state;
    const bool isLocked = m_bar.locksDistance();
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

void SceneEditor::play(bool on) {
    if (on == isPlaying()) {
        return;
    }
    if (!on) {
        m_timer.stop();
        emit playingChanged(false);
        recordPlayback();
        m_playedFrom.reset();
        return;
    }
    m_playedFrom = m_scene.state;
    const RotationState& state = m_scene.state;
    const bool isLocked = m_bar.locksDistance();
    const std::int64_t last = m_scene.setup.context - 1;
    if ((isLocked ? std::max(state.m, state.n) : state.m) >= last) {
        // At the end of the context, playback restarts at the beginning.
        const std::int64_t back = isLocked ? std::min(state.m, state.n) : state.m;
        moveTo(state.m - back, isLocked ? state.n - back : state.n);
    }
    m_rest = 0;
    m_clock.start();
    m_timer.start();
    emit playingChanged(true);
}

void SceneEditor::advance(double seconds) {
    m_rest += seconds * m_bar.speed();
    const double whole = std::floor(m_rest);
    if (whole < 1) {
        return;
    }
    m_rest -= whole;
    if (!moveBy(static_cast<std::int64_t>(whole))) {
        play(false);
    }
}

void SceneEditor::shift() {
    play(false);
    change(u"shift m and n by 1,000 positions"_s, [this] {
        RotationState& state = m_scene.state;
        if (!state.shiftedFrom) {
            state.shiftedFrom = RotationState::Place{state.m, state.n};
        }
        state.wished.reset();
        state.m += ShiftCard::kShift;
        state.n += ShiftCard::kShift;
    });
}

void SceneEditor::undoShift() {
    if (const auto from = m_scene.state.shiftedFrom) {
        change(u"shift m and n back"_s, [this, from] { moveTo(from->m, from->n); });
    }
}

void SceneEditor::chooseVectors(VectorSource source) {
    change(u"change the source of q and k"_s, [this, source] { useVectors(source); });
}

void SceneEditor::useVectors(VectorSource source) {
    m_scene.state.source = source;
    if (source == VectorSource::random) {
        m_scene.sampleVectors();
    } else {
        m_scene.refit();
    }
    emit changed();
}

void SceneEditor::useSeed(std::int64_t seed) {
    m_scene.state.seed = seed;
    useVectors(VectorSource::random);
}

void SceneEditor::useDistance(std::int64_t distance) {
    m_scene.state.distance = distance;
    useVectors(VectorSource::aimed);
}

void SceneEditor::useHead(std::int64_t distance, double norm, int pairs) {
    m_scene.buildHead(distance, norm, pairs);
    emit changed();
}

void SceneEditor::sampleAgain() {
    change(u"resample q and k"_s, [this] {
        RotationState& state = m_scene.state;
        ++state.seed;
        if (state.source == VectorSource::handEdited) state.source = VectorSource::random;
        m_scene.sampleVectors();
    });
}

void SceneEditor::aimAt(std::int64_t distance) {
    change(
        u"aim k at distance r"_s, [this, distance] { useDistance(distance); }, true);
}

void SceneEditor::setText(const QString& text) {
    change(
        u"edit text"_s, [this, &text] { m_scene.state.text = text.toStdString(); }, true);
}

void SceneEditor::buildHead(std::int64_t distance) {
    change(u"build a head"_s, [this, distance] { m_scene.buildHead(distance); });
}

void SceneEditor::scaleNorms(double norm) {
    change(
        u"scale q and k"_s, [this, norm] { m_scene.scaleNorms(norm); }, true);
}

void SceneEditor::keepFastPairs(int pairs) {
    change(
        u"keep the fastest pairs"_s,
        [this, pairs] { m_scene.buildHead(m_scene.state.distance, m_scene.largestNorm(), pairs); }, true);
}

void SceneEditor::chooseView(double accuracy, int hands, bool rotatesValues) {
    m_scene.state.accuracy = accuracy;
    m_scene.state.hands = hands;
    m_scene.state.rotatesValues = rotatesValues;
    emit changed();
}

void SceneEditor::setPair(double norm, double phase) {
    const auto pair = m_scene.enlargedPair();
    if (!pair) return;
    const auto edit = [this, pair = *pair, norm, phase] { m_scene.setPair(pair, norm, phase); };
    change(u"edit q and k in pair %1"_s.arg(*pair), edit, true);
}

void SceneEditor::useRunVectors(const RotarySetup& setup, const HeadVectors& vectors, const QString& origin) {
    changeWithSetup(u"load q and k from a run"_s, setup, [&] {
        RotationState& state = m_scene.state;
        state.source = VectorSource::trained;
        state.origin = origin.toStdString();
        state.queryEdited = false;
        state.query = vectors.query;
        state.key = vectors.key;
        state.m = vectors.m;
        state.n = vectors.n;
        state.shiftedFrom = {};
        state.wished = {};
    });
}

void SceneEditor::useSetupOfRun(const RotarySetup& setup) {
    const bool sameChannels = setup.head_dim == m_scene.setup.head_dim;
    changeWithSetup(u"use the RoPE settings of a run"_s, setup, [&] {
        if (!sameChannels) m_scene.buildHead(m_scene.state.distance);
    });
}

void SceneEditor::changeWithSetup(const QString& what, RotarySetup setup, const std::function<void()>& apply) {
    setup.precision = m_model.setup().precision;
    m_model.endDrag();
    m_model.undoStack().beginMacro(what);
    const auto end = qScopeGuard([this] { m_model.undoStack().endMacro(); });
    m_model.changeCustom(what, setup);
    m_model.endDrag();
    change(what, [&] {
        adoptSetup();
        apply();
    });
}

void SceneEditor::startDrag(Arrow arrow, double rim) {
    m_dragged = m_chosen = arrow;
    recordPlayback();
    m_beforeDrag = m_scene.state;
    m_scene.state.fixedRim = rim;
}

void SceneEditor::dragTo(std::complex<double> tip) {
    const auto pair = m_scene.enlargedPair();
    if (!pair || !isDragging()) return;
    if (m_dragged == Arrow::query) {
        m_scene.setRotatedQuery(*pair, tip);
    } else {
        m_scene.setRotatedKey(*pair, tip);
    }
    emit changed();
}

void SceneEditor::endDrag() {
    const auto pair = m_scene.enlargedPair();
    if (m_beforeDrag && pair) {
        record(u"drag the arrow of %1, pair %2"_s.arg(m_dragged == Arrow::key ? u"k"_s : u"q"_s).arg(*pair),
               *m_beforeDrag, false);
    }
    m_beforeDrag.reset();
    m_dragged = Arrow::none;
    m_scene.state.fixedRim.reset();
    emit changed();
}

void SceneEditor::rotateArrow(double radians, double stretch) {
    const auto pair = m_scene.enlargedPair();
    if (!pair) return;
    const std::complex<double> by = std::polar(stretch, radians);
    const auto rotate = [this, pair = *pair, by] {
        if (m_chosen == Arrow::key) {
            m_scene.setRotatedKey(pair, m_scene.rotatedKey(pair) * by);
        } else {
            m_scene.setRotatedQuery(pair, m_scene.rotatedQuery(pair) * by);
        }
    };
    change(u"edit the arrow of %1, pair %2"_s.arg(m_chosen == Arrow::key ? u"k"_s : u"q"_s).arg(*pair), rotate, true);
}

void SceneEditor::change(const QString& what, const std::function<void()>& apply, bool merges) {
    recordPlayback();
    const RotationState before = m_scene.state;
    apply();
    emit changed();  // also resets a slider whose position was refused
    record(what, before, merges);
    if (m_playedFrom) m_playedFrom = m_scene.state;
}

void SceneEditor::record(const QString& what, const RotationState& before, bool merges) {
    const RotationState& now = m_scene.state;
    if (haveSamePositions(before, now) && haveSameVectors(before, now) && before.distance == now.distance &&
        before.text == now.text) {
        return;
    }
    const bool mayMerge = merges && m_merging == what;
    m_model.undoStack().push(new SceneStep(*this, what, before, now, mayMerge));
    m_merging = merges ? what : QString();
}

void SceneEditor::recordPlayback() {
    if (!m_playedFrom) return;
    record(u"play positions"_s, *m_playedFrom, false);
    m_playedFrom = m_scene.state;
}

void SceneEditor::restore(const RotationState& state) {
    const RotationState shown = m_scene.state;
    m_scene.state = state;
    // What only the view of the room needs is not undone.
    m_scene.state.highlighted = shown.highlighted;
    m_scene.state.fixedRim = shown.fixedRim;
    m_scene.state.yaw = shown.yaw;
    m_scene.state.pitch = shown.pitch;
    // If the step before changes the head dimension too, the vectors fit only after that step.
    if (state.query.size() == static_cast<std::size_t>(m_model.setup().head_dim)) {
        adoptSetup();
    }
    emit changed();
}

void SceneEditor::reset(const RotationState& state) {
    play(false);
    restore(state);
    adoptSetup();
    // Vectors of another head dimension are those of the seed, whatever the dimension was before.
    const bool hasSize = state.query.size() == static_cast<std::size_t>(m_scene.setup.head_dim);
    if (state.source == VectorSource::random && !hasSize) m_scene.sampleVectors();
    endMerging();
}

}  // namespace ropelab::ui

#include "moc_scene_editor.cpp"
