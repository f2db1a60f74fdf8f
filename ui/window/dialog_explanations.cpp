#include "ui/window/dialog_explanations.h"

#include <QApplication>
#include <QDialog>
#include <QEvent>
#include <QFileDialog>
#include <QShortcut>

#include "ui/window/explanation_card.h"

namespace ropelab::ui {

DialogExplanations::DialogExplanations(QObject* parent) : QObject(parent) {
    qApp->installEventFilter(this);
}

bool DialogExplanations::eventFilter(QObject* watched, QEvent* event) {
    auto* dialog = event->type() == QEvent::Show ? qobject_cast<QDialog*>(watched) : nullptr;
    if (dialog && !qobject_cast<QFileDialog*>(dialog) &&
        !dialog->findChild<ExplanationCard*>(QString(), Qt::FindDirectChildrenOnly)) {
        auto* card = new ExplanationCard(dialog);
        connect(card, &ExplanationCard::formulaRequested, this, &DialogExplanations::formulaRequested);
        connect(new QShortcut(Qt::Key_F1, dialog), &QShortcut::activated, card, &ExplanationCard::toggle);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui
