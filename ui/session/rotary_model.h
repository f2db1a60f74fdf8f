#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "core/rope/memory.h"
#include "core/rope/rotary_setup.h"

class QUndoStack;

namespace ropelab::ui {

/// The shape of a model beside its rotary setup. It determines the sizes of the caches in the memory room.
struct ModelShape {
    QString name;  // name of a known model; empty for a custom setup
    CacheShape cache;
    KvCache kind = KvCache::grouped;

    bool operator==(const ModelShape&) const = default;
};

/// A rotary setup with the shape of its model.
struct ShapedSetup {
    RotarySetup setup;
    ModelShape shape;

    bool operator==(const ShapedSetup&) const = default;
};

/// The rotary setup that all rotary rooms share, the frequencies that follow from it, and the highlighted pair. A
/// second setup can be set beside it: the two are then setup A and setup B, one of which the user edits. Changes and
/// picked pairs can be undone. Consecutive changes of one kind, such as those of a drag, are merged into one undo step.
class RotaryModel : public QObject {
    Q_OBJECT

 public:
    /// What an undo step of this model changes.
    struct State {
        RotarySetup setup;
        ModelShape shape;
        std::optional<int> picked = {};
        std::optional<ShapedSetup> other = {};
        bool editsB = false;
    };
    /// A setup that the undo history contains, with the step that replaced it.
    struct Earlier {
        QString replacedBy;
        ShapedSetup setup;
    };

    /// Brings back what a room had when it was asked.
    using Restore = std::function<void()>;

    explicit RotaryModel(QUndoStack& undo, QObject* parent = nullptr);

    /// Registers the state of a room that the setup limits, such as positions within the context. Each step on the undo
    /// stack calls `capture` before its change, and undo calls what it returned; redo likewise. `room` ends the
    /// registration when it is destroyed.
    void keepForUndo(QObject* room, std::function<Restore()> capture);

    /// Returns the undo stack of the rotary rooms, for steps that change what only one room has.
    QUndoStack& undoStack() { return *m_undo; }
    /// Sets the stack of the following undo steps. A lecture has a stack of its own, so that its changes are no steps of
    /// the user's stack.
    void setUndoStack(QUndoStack& undo);
    /// Returns what undo steps change.
    State state() const { return {m_setup, m_shape, m_picked, m_other, m_editsB}; }
    /// Shows another state without an undo step. Throws BadInput for an invalid setup, which leaves the model unchanged.
    void show(const State& state);

    const RotarySetup& setup() const { return m_setup; }
    const ModelShape& shape() const { return m_shape; }
    /// Returns the frequencies with the scaling of the setup, at its context.
    const Frequencies& frequencies() const { return m_frequencies; }
    /// Returns the frequencies without scaling.
    const Frequencies& plain() const { return m_plain; }
    /// Returns the number of pairs in frequencies(): d_r/2 for slice, d/2 for truncate.
    int pairs() const { return static_cast<int>(m_frequencies.inverse_frequencies.size()); }

    /// Changes the setup as an undo step named `what`, for example "change theta". Throws BadInput for an invalid
    /// setup, which leaves the model unchanged.
    void change(const QString& what, const RotarySetup& setup);
    /// Changes the setup and the shape of the model as one undo step named `what`. Throws BadInput for an invalid
    /// setup.
    void change(const QString& what, const RotarySetup& setup, const ModelShape& shape);
    /// Changes the shape of the model as an undo step named `what`.
    void changeShape(const QString& what, const ModelShape& shape);
    /// Changes the edited setup as an undo step named `what`, or both setups if there are two: A is then the edited
    /// one. The setups belong to no named model. Throws BadInput for an invalid setup.
    void changeBoth(const QString& what, const ComparedSetups& setups);

    /// Returns the setup beside the edited one, or nullopt if no setups are compared.
    const std::optional<ShapedSetup>& other() const { return m_other; }
    /// Returns the frequencies of the other setup with its scaling; empty if no setups are compared.
    const Frequencies& otherFrequencies() const { return m_otherFrequencies; }
    /// Returns whether the edited setup is setup B; it is setup A otherwise.
    bool editsB() const { return m_editsB; }
    /// Returns setup A, and setup B if two setups are compared.
    ShapedSetup setupA() const;
    std::optional<ShapedSetup> setupB() const;
    /// Returns both setups, for their line of text.
    ComparedSetups setups() const;

    // The following functions are undo steps.

    /// Compares the edited setup with another one, which replaces an earlier one beside it. `what` names the step.
    /// Throws BadInput for an invalid setup.
    void compareWith(const QString& what, const ShapedSetup& other);
    /// Removes the setup beside the edited one.
    void endComparison();
    /// Exchanges setup A and setup B.
    void swapSetups();
    /// Chooses which of the two setups is edited.
    void edit(bool b);

    /// Returns the setups that the undo history contains, the latest first, without repetitions and without those that
    /// are shown now; at most `most`.
    std::vector<Earlier> earlierSetups(std::size_t most) const;

    /// Makes the next change an undo step of its own, even if it has the same name as the previous one.
    void endDrag() { m_mayMerge = false; }

    /// Returns the pair that the user selected, if any.
    std::optional<int> pickedPair() const { return m_picked; }
    /// Returns the highlighted pair: the pair under the mouse, otherwise the selected one.
    std::optional<int> highlightedPair() const { return m_hovered ? m_hovered : m_picked; }
    /// Selects a pair as an undo step. A pair out of range clears the selection. If `steps` is true, the step is merged
    /// with a preceding one that also stepped from pair to pair, as with the arrow keys.
    void pickPair(std::optional<int> pair, bool steps = false);
    /// Sets the pair under the mouse. A pair out of range clears it.
    void hoverPair(std::optional<int> pair);

 signals:
    /// A setup or a shape changed, or which setups there are.
    void changed();
    /// The user asks for the list of known models, to load one into the setup.
    void modelsRequested();
    /// The user asks for the wrong statements about RoPE, which show how the setup can be misread.
    void statementsRequested();
    /// The selected pair or the pair under the mouse changed.
    void pairHighlighted();
    /// Undo or redo changed the selected pair.
    void pickRestored();

 private:
    friend class RotaryStep;
    struct Keeper {
        QPointer<QObject> room;
        std::function<Restore()> capture;
    };
    /// Returns a function that brings back what all registered rooms have now.
    Restore captureRooms() const;
    void setState(const State& state);
    void computeFrequencies();
    void push(const QString& what, const State& to, bool mayMerge);
    /// Pushes a step that merges with no other one.
    void pushAlone(const QString& what, const State& to);
    /// Returns the state in which the other setup is edited, as setup B if `editsB` is true.
    State exchanged(bool editsB) const;

    QUndoStack* m_undo;
    std::vector<Keeper> m_keepers;
    RotarySetup m_setup;
    ModelShape m_shape;
    Frequencies m_frequencies;
    Frequencies m_plain;
    std::optional<ShapedSetup> m_other;
    Frequencies m_otherFrequencies;
    bool m_editsB = false;
    std::optional<int> m_picked;
    std::optional<int> m_hovered;
    bool m_mayMerge = false;
    bool m_stepsPairs = false;  // the latest pick stepped from pair to pair
    bool m_isPushing = false;   // a new step is executed, not one that is undone or redone
};

}  // namespace ropelab::ui
