#pragma once

#include <QString>

class QToolButton;
class QWidget;

namespace ropelab::ui {

/// A button that shows and hides `content`, which is hidden at first.
QToolButton* makeFold(const QString& text, const QString& why, QWidget* content, QWidget* parent);

}  // namespace ropelab::ui
