#pragma once

class QLabel;
class QString;

namespace ropelab::ui {

/// Like QLabel::setText(). A visible label that needs as much space as before leaves the layout of its page as it is,
/// which would ask all of its widgets for their sizes: a number of such a text changes with each step of a drag.
void changeText(QLabel* label, const QString& text);

}  // namespace ropelab::ui
