#pragma once

#include <QObject>

namespace ropelab::ui {

/// F1 in dialogs, which the actions of the main window do not reach: each gets an ExplanationCard when first shown.
class DialogExplanations : public QObject {
    Q_OBJECT

 public:
    explicit DialogExplanations(QObject* parent);

 signals:
    void formulaRequested(int number);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ropelab::ui
