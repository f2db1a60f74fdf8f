#pragma once

class QString;
class QWidget;

namespace ropelab::ui {

// A changed style sheet applies immediately to visible widgets, to a hidden one and what is in it when it is shown, and
// to closed menus and lists in the turns of the event loop that follow.

/// Sets the style sheet of the application and polishes each widget once. QApplication::setStyleSheet() alone polishes
/// each widget once for each of its ancestors.
void setStyleSheetOnce(const QString& sheet);
/// Styles a hidden widget and what it is in for about `mostMs` milliseconds, so that less follows when it is shown.
/// Returns whether nothing is left.
bool styleHidden(const QWidget& widget, int mostMs);
/// How often a widget has been polished for a changed style sheet.
long polishedWidgets();

}  // namespace ropelab::ui
