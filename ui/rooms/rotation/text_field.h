#pragma once

class QLineEdit;
class QWidget;

namespace ropelab::ui {

/// The pages Tokens and Circuit show the tokens of this text.
QLineEdit* makeTextField(QWidget* parent);

}  // namespace ropelab::ui
