#pragma once

#include <QLabel>

namespace ropelab::ui {

/// One line in demi-bold type, which becomes smaller where the text is too long; a text that does not fit at the size
/// of the controls wraps.
class FittingLabel : public QLabel {
    Q_OBJECT

 public:
    explicit FittingLabel(QWidget* parent = nullptr);

    void setText(const QString& text);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void fit();
};

}  // namespace ropelab::ui
