#pragma once

#include <QObject>

namespace ropelab::ui {

/// Makes F1 work in dialogs, which the actions of the main window do not reach: each one gets an ExplanationCard when
/// it is first shown.
class DialogExplanations : public QObject {
    Q_OBJECT

 public:
    explicit DialogExplanations(QObject* parent);

 signals:
    /// The user clicked the link to formula `number` in the card of a dialog.
    void formulaRequested(int number);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ropelab::ui
