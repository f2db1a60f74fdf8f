#pragma once

#include <QString>

class QFrame;
class QLabel;
class QPushButton;
class QWidget;

namespace ropelab::ui {

/// Page that a room shows while it has no data, with a picture of what it will show; its button opens the Train room.
struct EmptyPage {
    QFrame* page;         // the page itself, parent of the other widgets
    QLabel* text;         // the text that explains the room
    QPushButton* button;  // "Open page Train"
};
/// `picture` is the name of a picture of the guide, which has one for the light and one for the dark theme
/// (docs/images/NAME.png and NAME-dark.png).
EmptyPage makeEmptyPage(const QString& title, const QString& text, const QString& picture, QWidget* parent);

}  // namespace ropelab::ui
