#pragma once

#include <QComboBox>

namespace ropelab::ui {

/// Shortens its text in the middle if the text is wider than the list. The tooltip then begins with the whole text.
class ChoiceBox : public QComboBox {
    Q_OBJECT

 public:
    explicit ChoiceBox(QWidget* parent);
    QString shownText() const;

 protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ropelab::ui
