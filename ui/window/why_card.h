#pragma once

#include <QFrame>
#include <QPoint>
#include <QPointer>
#include <QTimer>

#include "ui/window/why.h"

class QLabel;

namespace ropelab::ui {

/// Explains what the person is at (F1), in a card beside it: what has the keyboard, or what the mouse points at where
/// that moved since the last key. The keyboard stays where it is, and the card follows today's values. Escape, F1 or a
/// click puts it away. Where the text names formulas, links lead to them.
class WhyCard : public QFrame {
    Q_OBJECT

 public:
    /// `window` is the main window or a dialog; the card lies in it.
    explicit WhyCard(QWidget* window);

    /// Shows it, or puts it away where it is shown of the same. False where nothing explains what the person is at.
    bool toggle();
    /// What it says now.
    const Why& why() const { return m_why; }

 signals:
    /// The link to a formula was followed.
    void formulaAsked(int number);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

 private:
    Why sought() const;
    void show(const Why& why);
    void renew();
    void place();

    QPoint m_mouseAtKey;  // where the mouse was when a key was pressed last
    QPointer<QWidget> m_widget;
    Why m_why;
    QLabel* m_title;
    QLabel* m_summary;
    QLabel* m_text;
    QLabel* m_formulas;
    QTimer m_timer;
};

}  // namespace ropelab::ui
