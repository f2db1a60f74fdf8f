#pragma once

#include <QString>

class QFrame;
class QLabel;
class QPushButton;
class QWidget;

namespace ropelab::ui {

/// Page that a room shows while it has no data; its button opens the Train room.
struct EmptyPage {
    QFrame* page;         // the page itself, parent of the other widgets
    QLabel* text;         // the text that explains the room
    QPushButton* button;  // "Open page Train"
};
EmptyPage makeEmptyPage(const QString& title, const QString& text, QWidget* parent);

}  // namespace ropelab::ui
