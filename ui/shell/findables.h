#pragma once

#include <QList>
#include <QString>

class QAbstractButton;
class QWidget;

namespace ropelab::ui {

// Fields, buttons and figures of a room that the palette (Ctrl+K) finds. They are collected from the labels, accessible
// names and explanations that the widgets have anyway, so that nothing is listed twice.

struct Findable {
    QString title;    // "learning rate"
    QString words;    // other texts of the widget, in which the search also looks
    QWidget* target;  // the widget
};

/// Says that `button` shows `page`, so that what a hidden page contains can be found and shown.
void shownBy(QWidget* page, QAbstractButton* button);

/// In the order in which the widgets were created. Hidden widgets are omitted unless a button shows them.
QList<Findable> findablesIn(const QWidget* root);

/// Shows the pages around `widget`, scrolls to it, focuses and lights it; if it stays hidden, lights what is around it.
void goToWidget(QWidget* widget);

/// Draws a ring around `widget`, if there is space, for some seconds or until endLights() if it `lasts`. It does not
/// move, so reduced motion needs no variant.
void lightUp(QWidget* widget, bool lasts = false);
bool isLit(const QWidget* widget);
/// Removes the rings of all widgets in the window of `widget`.
void endLights(const QWidget* widget);

/// In lower case, with Greek letters spelled out ("theta, the base" for "θ, the base").
QString searchText(const QString& text);

}  // namespace ropelab::ui
