#pragma once

#include <QString>

class QFrame;
class QLabel;
class QPushButton;
class QWidget;

namespace ropelab::ui {

/// What a room shows while there is nothing to look at: what it is for, and the way to Train.
struct EmptyPage {
    QFrame* page;
    QLabel* text;
    QPushButton* goToTrain;
};
EmptyPage makeEmptyPage(const QString& title, const QString& text, QWidget* parent);

}  // namespace ropelab::ui
