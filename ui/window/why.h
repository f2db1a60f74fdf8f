#pragma once

#include <QPoint>
#include <QString>

class QWidget;

namespace ropelab::ui {

// Why a quantity is what it is: the formula, its symbols with today's values, and its source. It is written once, as
// the widget's tooltip or, where a tooltip would lie over what it explains, as its "what's this" or another widget's.

/// Lets `widget` be explained by what `by` says at that moment.
void explainBy(QWidget* widget, QWidget* by);

/// What is explained, and how.
struct Why {
    QWidget* widget = nullptr;  // null where nothing explains it
    QString title;              // what it is called and, of a field, what stands in it
    QString summary;            // of a picture: what it shows now
    QString text;
};
/// Of what has the keyboard: the widget, its current cell, or the next one around it that is explained.
Why whyOf(QWidget* widget);
/// Of what the window has at that place of the screen.
Why whyAt(const QWidget* window, const QPoint& global);

}  // namespace ropelab::ui
