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

/// Determines the sizes of the caches in the memory room.
struct ModelShape {
    QString name;  // name of a known model; empty for a custom setup
    AttentionSizes sizes;
    /// Of the layers of a named model, which may differ from `sizes`; empty for a custom setup.
    std::vector<CachedLayers> caches = {};

    bool operator==(const ModelShape&) const = default;
};

struct ShapedSetup {
    RotarySetup setup;
    ModelShape shape;

    bool operator==(const ShapedSetup&) const = default;
};

/// Shared by all rotary rooms. A second setup can be beside it: setups A and B, one of which the user edits.
/// Consecutive changes of one kind, such as those of a drag, are merged into one undo step.
class RotaryModel : public QObject {
    Q_OBJECT

 public:
    struct State {
        RotarySetup setup;
        ModelShape shape;
        std::optional<int> picked = {};
        std::optional<ShapedSetup> other = {};
        bool editsB = false;
    };
    /// A setup of the undo history, with the step that replaced it.
    struct Earlier {
        QString replacedBy;
        ShapedSetup setup;
    };

    using Restore = std::function<void()>;

    explicit RotaryModel(QUndoStack& undo, QObject* parent = nullptr);

    /// For state that the setup limits, such as positions within the context. Each undo step calls `capture` before its
    /// change, and undo (or redo) calls what it returned. Ends when `room` is destroyed.
    void keepForUndo(QObject* room, std::function<Restore()> capture) {
        m_keepers.push_back({room, std::move(capture)});
    }

    /// For steps that change what only one room has.
    QUndoStack& undoStack() { return *m_undo; }
    /// A lecture has a stack of its own, so that its changes are no steps of the user's stack.
    void setUndoStack(QUndoStack& undo);
    State state() const { return {m_setup, m_shape, m_picked, m_other, m_editsB}; }
    /// Adds no undo step. Throws BadInput for an invalid setup, which leaves the model unchanged.
    void show(const State& state);

    const RotarySetup& setup() const { return m_setup; }
    const ModelShape& shape() const { return m_shape; }
    /// With the scaling of the setup, at its context.
    const Frequencies& frequencies() const { return m_frequencies; }
    /// Without scaling.
    const Frequencies& plain() const { return m_plain; }
    /// Number of pairs in frequencies(): d_r/2 for slice, d/2 for truncate.
    int pairs() const { return static_cast<int>(m_frequencies.inverse_frequencies.size()); }

    /// `what` names the undo step ("change theta"). Throws BadInput for an invalid setup; the model is then unchanged.
    void change(const QString& what, const RotarySetup& setup);
    /// One undo step. Throws BadInput for an invalid setup.
    void change(const QString& what, const RotarySetup& setup, const ModelShape& shape);
    /// The same for a setup that is not that of the named model.
    void changeCustom(const QString& what, const RotarySetup& setup);
    /// With two setups, A is then the edited one. They belong to no named model. Throws BadInput for an invalid setup.
    void changeBoth(const QString& what, const ComparedSetups& setups);

    /// Setup beside the edited one; nullopt if no setups are compared.
    const std::optional<ShapedSetup>& other() const { return m_other; }
    /// With the scaling of the other setup; empty if no setups are compared.
    const Frequencies& otherFrequencies() const { return m_otherFrequencies; }
    /// True: the edited setup is B, else A.
    bool editsB() const { return m_editsB; }
    /// Setup A, or the only setup.
    ShapedSetup setupA() const { return m_editsB && m_other ? *m_other : ShapedSetup{m_setup, m_shape}; }
    std::optional<ShapedSetup> setupB() const {
        return m_editsB ? std::optional(ShapedSetup{m_setup, m_shape}) : m_other;
    }
    ComparedSetups setups() const;

    // The following functions are undo steps.

    /// Replaces an earlier setup beside the edited one. Throws BadInput for an invalid setup.
    void compareWith(const QString& what, const ShapedSetup& other);
    /// Removes the setup beside the edited one.
    void endComparison();
    void swapSetups();
    void edit(bool b);

    /// Setups of the undo history, the latest first, without repetitions and without those that are shown now.
    std::vector<Earlier> earlierSetups(std::size_t most) const;

    /// The next change is an undo step of its own, even if it has the same name as the previous one.
    void endDrag();
    /// A change was made that the next one may continue.
    bool isDragging() const { return m_mayMerge; }

    std::optional<int> pickedPair() const { return m_picked; }
    /// The pair under the mouse, otherwise the selected one.
    std::optional<int> highlightedPair() const { return m_hovered ? m_hovered : m_picked; }
    /// An undo step; a pair out of range clears the selection. If `steps`, it is merged with one of the arrow keys.
    void pickPair(std::optional<int> pair, bool steps = false);
    /// A pair out of range clears it.
    void hoverPair(std::optional<int> pair);

 signals:
    /// A setup or a shape changed, or which setups there are.
    void changed();
    void modelsRequested();
    void statementsRequested();
    void pairHighlighted();
    void dragEnded();
    /// Undo or redo changed the selected pair.
    void pickRestored();

 private:
    friend class RotaryStep;
    struct Keeper {
        QPointer<QObject> room;
        std::function<Restore()> capture;
    };
    Restore captureRooms() const;
    void setState(const State& state);
    void computeFrequencies();
    void push(const QString& what, const State& to, bool mayMerge);
    /// The step merges with no other one.
    void pushAlone(const QString& what, const State& to);
    /// The other setup is edited, as setup B if `editsB` is true.
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

/// "YaRN".
QString scalingTitle(ScalingMethod method);

/// "θ = 10k" and "θ = 500k"; empty if nothing differs.
struct SetupNames {
    QString a;
    QString b;
};
/// At most two values that differ, or the names of the models if more values differ and both have a name.
SetupNames setupNames(const ShapedSetup& a, const ShapedSetup& b);

/// "θ 500k → 10k"; "" if more differ than a short text can hold or if the states compare different setups.
QString rotaryChanges(const RotaryModel::State& from, const RotaryModel::State& to);

}  // namespace ropelab::ui
