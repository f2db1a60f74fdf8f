#pragma once

class QWidget;

namespace ropelab::ui {

/// A scroll area of fixed width, which takes ownership of `content`.
QWidget* makeSideArea(QWidget* content, QWidget* parent);

}  // namespace ropelab::ui
