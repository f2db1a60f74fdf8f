#include "ui/window/dialog_whys.h"

#include <QApplication>
#include <QDialog>
#include <QEvent>
#include <QFileDialog>
#include <QShortcut>

#include "ui/window/why_card.h"

namespace ropelab::ui {

DialogWhys::DialogWhys(QObject* parent) : QObject(parent) {
    qApp->installEventFilter(this);
}

bool DialogWhys::eventFilter(QObject* watched, QEvent* event) {
    auto* dialog = event->type() == QEvent::Show ? qobject_cast<QDialog*>(watched) : nullptr;
    if (dialog && !qobject_cast<QFileDialog*>(dialog) &&
        !dialog->findChild<WhyCard*>(QString(), Qt::FindDirectChildrenOnly)) {
        auto* card = new WhyCard(dialog);
        connect(card, &WhyCard::formulaAsked, this, &DialogWhys::formulaAsked);
        connect(new QShortcut(Qt::Key_F1, dialog), &QShortcut::activated, card, &WhyCard::toggle);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui
