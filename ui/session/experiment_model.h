#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "core/experiment/experiment.h"
#include "ui/session/sweep_options.h"

class QUndoStack;

namespace ropelab::ui {

/// The experiment that the sweep panel edits and that the Start button trains.
class ExperimentModel : public QObject {
    Q_OBJECT

 public:
    /// Edits go onto the stack `undo`.
    ExperimentModel(Experiment first, QUndoStack* undo, QObject* parent = nullptr);

    const Experiment& value() const { return m_value; }
    /// Search and extension.
    const SweepOptions& options() const { return m_options; }
    /// The experiment before the user's edits: that of the open lab, or the first one.
    const Experiment& original() const { return m_original; }

    /// One undoable step named `text` ("add θ 1M"). If `edit` throws (BadInput), the experiment stays unchanged.
    void edit(const QString& text, const std::function<void(Experiment&)>& edit);
    void editOptions(const QString& text, const std::function<void(Experiment&, SweepOptions&)>& edit);
    /// Adds no undo step, because a lab was opened.
    void replace(const Experiment& value, const SweepOptions& options = {});

 signals:
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
