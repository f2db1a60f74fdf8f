#pragma once

class QString;
class QWidget;

namespace ropelab::ui {

// A changed style sheet applies immediately to visible widgets, to a hidden page of the window or of a stack when it is
// shown, and to closed menus and lists in the turns of the event loop that follow.

/// From now on, a style sheet that changes while the page is hidden applies to it in showStyled().
void addPage(QWidget* page);
/// Call before the page is shown.
void showStyled(QWidget* page);

/// Sets the style sheet of the application and polishes each widget once. QApplication::setStyleSheet() alone polishes
/// each widget once for each of its ancestors.
void setStyleSheetOnce(const QString& sheet);
/// How often setStyleSheetOnce() and showStyled() have polished a widget.
long polishedWidgets();

}  // namespace ropelab::ui
