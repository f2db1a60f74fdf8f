#pragma once

class QLineEdit;
class QWidget;

namespace ropelab::ui {

/// Creates the field of the text whose tokens the pages Tokens and Circuit show.
QLineEdit* makeTextField(QWidget* parent);

}  // namespace ropelab::ui
