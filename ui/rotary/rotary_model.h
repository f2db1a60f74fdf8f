#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "core/rope/memory.h"
#include "core/rope/rotary_setup.h"

class QUndoStack;

namespace ropelab::ui {

/// A model's caches, for the memory room: what surrounds the rotary setup.
struct ModelShape {
    QString name;  // "" where it was set by hand
    CacheShape cache;
    KvCache kind = KvCache::grouped;

    bool operator==(const ModelShape&) const = default;
};

/// The one rotary setup that every rotary room follows, with what is computed from it once, and the pair that is lit in
/// all of them. Changes can be undone; changes of one kind in a row (a drag) are one step.
class RotaryModel : public QObject {
    Q_OBJECT

 public:
    explicit RotaryModel(QUndoStack& undo, QObject* parent = nullptr);

    const RotarySetup& setup() const { return m_setup; }
    const ModelShape& shape() const { return m_shape; }
    /// With the setup's scaling, at its context.
    const Frequencies& frequencies() const { return m_frequencies; }
    /// Without scaling.
    const Frequencies& plain() const { return m_plain; }
    /// Pairs in frequencies(): d_r/2 for slice, d/2 for truncate.
    int pairs() const { return static_cast<int>(m_frequencies.inverse_frequencies.size()); }

    /// Takes a new setup as an undoable step called `what` ("change theta"). A setup that makes no sense is refused
    /// with BadInput, and nothing changes.
    void change(const QString& what, const RotarySetup& setup);
    void change(const QString& what, const RotarySetup& setup, const ModelShape& shape);
    void changeShape(const QString& what, const ModelShape& shape);
    /// The next change is a step of its own even if it is called like the last.
    void endDrag() { m_mayMerge = false; }

    /// The picked pair stays lit; a hovered one is lit instead while the mouse is there. Out of range lights none.
    std::optional<int> pickedPair() const { return m_picked; }
    std::optional<int> litPair() const { return m_hovered ? m_hovered : m_picked; }
    void pickPair(std::optional<int> pair);
    void hoverPair(std::optional<int> pair);

 signals:
    /// The setup or the shape is another one.
    void changed();
    /// Another pair is lit, or none.
    void pairLit();

 private:
    friend class RotaryStep;
    struct State {
        RotarySetup setup;
        ModelShape shape;
    };
    void take(const State& state);

    QUndoStack& m_undo;
    RotarySetup m_setup;
    ModelShape m_shape;
    Frequencies m_frequencies;
    Frequencies m_plain;
    std::optional<int> m_picked;
    std::optional<int> m_hovered;
    bool m_mayMerge = false;
};

}  // namespace ropelab::ui
