#pragma once

#include <QUndoCommand>

class QUndoStack;

namespace ropelab::ui {

/// Knows which values it changes.
class UndoStep : public QUndoCommand {
 public:
    using QUndoCommand::QUndoCommand;
    /// Values that undo() changes (`undone` is true) or redo() changes: "θ 500k → 10k". "" if the step changes too much
    /// for a short text; then its name describes it.
    virtual QString values(bool undone) const = 0;
};

/// Returns "Undone: θ 500k → 10k" or "Undone: delete run 1"; "" if there is nothing to undo.
QString undoLatest(QUndoStack& stack);
/// Returns "Redone: θ 10k → 500k"; "" if there is nothing to redo.
QString redoNext(QUndoStack& stack);

/// "name from → to", for UndoStep::values().
QString changedValue(const QString& name, const QString& from, const QString& to);
/// Joins the results of changedValue(); "" if there are none or more than a short text can hold.
QString changedValues(const QStringList& changes);

}  // namespace ropelab::ui
