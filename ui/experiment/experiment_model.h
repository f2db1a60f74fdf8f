#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "core/experiment/experiment.h"

class QUndoStack;

namespace ropelab::ui {

/// The experiment that the panel edits and that Start trains: the single state; every view reads it and redraws when it
/// changes.
class ExperimentModel : public QObject {
    Q_OBJECT

 public:
    ExperimentModel(Experiment first, QUndoStack* undo, QObject* parent = nullptr);

    const Experiment& value() const { return m_value; }

    /// Changes a copy and takes it over as one step that can be undone, named `text` ("add θ 1M"). What `edit` throws
    /// (BadInput) comes through, and nothing has changed then.
    void edit(const QString& text, const std::function<void(Experiment&)>& edit);
    /// Another experiment, without undo: a lab was opened.
    void replace(const Experiment& value);

 signals:
    void changed();

 private:
    class Edit;
    void set(const Experiment& value);

    Experiment m_value;
    QUndoStack* m_undo;
};

}  // namespace ropelab::ui
