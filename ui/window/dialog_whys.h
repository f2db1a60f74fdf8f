#pragma once

#include <QObject>

namespace ropelab::ui {

/// Lets F1 explain in every dialog too, where the main window's actions do not reach: the first time that one shows,
/// it gets a WhyCard of its own. Works for the whole program as long as it lives.
class DialogWhys : public QObject {
    Q_OBJECT

 public:
    explicit DialogWhys(QObject* parent);

 signals:
    /// A card's link to a formula was followed.
    void formulaAsked(int number);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace ropelab::ui
