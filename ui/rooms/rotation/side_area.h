#pragma once

class QWidget;

namespace ropelab::ui {

/// Returns a scroll area of fixed width, for the controls on the right of a figure. It takes ownership of `content`.
QWidget* makeSideArea(QWidget* content, QWidget* parent);

}  // namespace ropelab::ui
