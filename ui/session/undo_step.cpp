#include "ui/session/undo_step.h"

#include <QCoreApplication>
#include <QUndoStack>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostChanges = 2;  // a text with more changes does not fit into the status strip

QString describe(const QUndoCommand* step, bool undone) {
    const auto* known = dynamic_cast<const UndoStep*>(step);
    const QString values = known ? known->values(undone) : QString();
    return values.isEmpty() ? step->text() : values;
}

}  // namespace

QString undoLatest(QUndoStack& stack) {
    if (!stack.canUndo()) return {};
    const QString what = describe(stack.command(stack.index() - 1), true);
    stack.undo();
    return u"Undone: %1"_s.arg(what);
}

QString redoNext(QUndoStack& stack) {
    if (!stack.canRedo()) return {};
    const QString what = describe(stack.command(stack.index()), false);
    stack.redo();
    return u"Redone: %1"_s.arg(what);
}

QString changedValue(const QString& name, const QString& from, const QString& to) {
    return u"%1 %2 → %3"_s.arg(name, from, to);
}

QString changedValues(const QStringList& changes) {
    return changes.size() > kMostChanges ? QString() : changes.join(u", "_s);
}

}  // namespace ropelab::ui
