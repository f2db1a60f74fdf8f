#pragma once

#include <QUndoCommand>

class QUndoStack;

namespace ropelab::ui {

class UndoStep : public QUndoCommand {
 public:
    using QUndoCommand::QUndoCommand;
    /// Changes of undo() or, if `undone` is false, redo(): "θ 500k → 10k"; "" if they are too many for a short text.
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
