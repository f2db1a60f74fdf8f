#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "core/experiment/experiment.h"
#include "ui/session/sweep_options.h"

class QUndoStack;

namespace ropelab::ui {

/// The experiment that the sweep panel edits and that the Start button trains. All views show this one object and
/// redraw when changed() is emitted.
class ExperimentModel : public QObject {
    Q_OBJECT

 public:
    /// Creates a model of the experiment `first`, whose edits go onto the stack `undo`.
    ExperimentModel(Experiment first, QUndoStack* undo, QObject* parent = nullptr);

    /// Returns the current experiment.
    const Experiment& value() const { return m_value; }
    /// Returns how the sweep gets its runs: search and extension.
    const SweepOptions& options() const { return m_options; }
    /// Returns the experiment before the user's edits: that of the open lab, or the first one.
    const Experiment& original() const { return m_original; }

    /// Applies `edit` to a copy of the experiment and adopts the copy as one undoable step named `text` ("add θ 1M").
    /// If `edit` throws (BadInput), the exception is passed on and the experiment stays unchanged.
    void edit(const QString& text, const std::function<void(Experiment&)>& edit);
    /// Changes the experiment and its options as one undoable step.
    void editOptions(const QString& text, const std::function<void(Experiment&, SweepOptions&)>& edit);
    /// Replaces the experiment without an undo step, because a lab was opened.
    void replace(const Experiment& value, const SweepOptions& options = {});

 signals:
    /// The experiment changed.
    void changed();

 private:
    class Edit;
    void set(const Experiment& value, const SweepOptions& options);

    Experiment m_value;
    SweepOptions m_options;
    Experiment m_original;
    QUndoStack* m_undo;
};

}  // namespace ropelab::ui
