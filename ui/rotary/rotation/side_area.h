#pragma once

class QWidget;

namespace ropelab::ui {

/// What stands right of a picture, in a column of one width that scrolls where it is too low. Takes the content.
QWidget* makeSideArea(QWidget* content, QWidget* parent);

}  // namespace ropelab::ui
