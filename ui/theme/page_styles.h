#pragma once

class QString;
class QWidget;

namespace ropelab::ui {

// Who gets a changed style sheet when: visible widgets at once, hidden pages of the window when they are shown.

/// From now on, the page is styled by showStyled() while it is hidden.
void addPage(QWidget* page);
/// Call before the page is shown.
void showStyled(QWidget* page);

/// Sets the style sheet of the application and polishes each widget once. QApplication::setStyleSheet() alone polishes
/// each widget once for each of its ancestors.
void setStyleSheetOnce(const QString& sheet);
/// How often setStyleSheetOnce() and showStyled() have polished a widget.
long polishedWidgets();

}  // namespace ropelab::ui
