// Undo steps of positions, vectors and arrows, which only this room has.
#include <QUndoStack>
#include <utility>

#include "ui/common/format.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {

namespace {

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

}  // namespace

/// Consecutive steps of a drag are merged into one.
class RotationStep : public UndoStep {
 public:
    RotationStep(RotationRoom& room, const QString& what, RotationState from, RotationState to, bool mayMerge)
        : UndoStep(what), m_room(&room), m_from(std::move(from)), m_to(std::move(to)), m_mayMerge(mayMerge) {}

    void undo() override {
        if (!m_room) return;
        m_room->endMerging();
        m_room->restore(m_from);
    }
    void redo() override {
        if (m_room) m_room->restore(m_to);
    }
    QString values(bool undone) const override {
        return undone ? rotationChanges(m_to, m_from) : rotationChanges(m_from, m_to);
    }
    int id() const override { return 0x5270; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* later = static_cast<const RotationStep*>(other);
        if (!later->m_mayMerge || later->text() != text()) return false;
        m_to = later->m_to;
        return true;
    }

 private:
    QPointer<RotationRoom> m_room;  // the stack outlives the room
    RotationState m_from;
    RotationState m_to;
    bool m_mayMerge;
};

// A smaller context or head dimension limits positions, distance and vectors; undoing it brings them back.
void RotationRoom::keepStateForUndo() {
    model().keepForUndo(this, [this] {
        // While the positions play, the undo stack knows only those from which the playback started.
        return [room = QPointer<RotationRoom>(this), state = m_playedFrom.value_or(m_scene.state)] {
            if (!room) return;
            room->endMerging();
            room->restore(state);
        };
    });
}

void RotationRoom::change(const QString& what, const std::function<void()>& apply, bool merges) {
    recordPlayback();
    const RotationState before = m_scene.state;
    apply();
    record(what, before, merges);
    if (m_playedFrom) m_playedFrom = m_scene.state;
}

void RotationRoom::record(const QString& what, const RotationState& before, bool merges) {
    const RotationState& now = m_scene.state;
    if (haveSamePositions(before, now) && haveSameVectors(before, now) && before.distance == now.distance &&
        before.text == now.text) {
        return;
    }
    const bool mayMerge = merges && m_merging == what;
    model().undoStack().push(new RotationStep(*this, what, before, now, mayMerge));
    m_merging = merges ? what : QString();
}

void RotationRoom::recordPlayback() {
    if (!m_playedFrom) return;
    record(tr("play positions"), *m_playedFrom, false);
    m_playedFrom = m_scene.state;
}

void RotationRoom::restore(const RotationState& state) {
    const RotationState shown = m_scene.state;
    m_scene.state = state;
    // What only the view of the room needs is not undone.
    m_scene.state.highlighted = shown.highlighted;
    m_scene.state.fixedRim = shown.fixedRim;
    m_scene.state.yaw = shown.yaw;
    m_scene.state.pitch = shown.pitch;
    // If the step before changes the head dimension too, the vectors fit only after that step.
    if (state.query.size() == static_cast<std::size_t>(model().setup().head_dim)) {
        m_scene.setSetup(model().setup(), model().frequencies());
    }
    schedule();
}

void RotationRoom::endEdit() {
    RotaryRoom::endEdit();
    play(false);
    endMerging();
}

}  // namespace ropelab::ui
