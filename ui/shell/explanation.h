#pragma once

#include <QPoint>
#include <QString>

class QWidget;

namespace ropelab::ui {

// Explanations of quantities (F1): the formula, the current values of its symbols, and its source. The text of an
// explanation is the tooltip of a widget. If the tooltip would cover the widget, for example a figure, the text is its
// "What's This" text or belongs to another widget.

/// Makes F1 explain `widget` with the current explanation of the widget `by`.
void explainBy(QWidget* widget, QWidget* by);

struct Explanation {
    QWidget* widget = nullptr;  // the explained widget; null if there is no explanation
    QString title;              // name of the widget, for a field also its value
    QString summary;            // for a figure: a description of what it shows
    QString text;               // the explanation
    QString place = {};         // follows the title where two widgets can be meant
};
/// Explanation of the widget, of its current cell if it is a table, or of the nearest enclosing widget that has one.
Explanation explanationOf(QWidget* widget);
/// `global`: a position in screen coordinates.
Explanation explanationAt(const QWidget* window, const QPoint& global);

}  // namespace ropelab::ui
