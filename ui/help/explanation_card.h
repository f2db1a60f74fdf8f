#pragma once

#include <QFrame>
#include <QPoint>
#include <QPointer>
#include <QTimer>

#include "ui/shell/explanation.h"

class QLabel;

namespace ropelab::ui {

/// Explains (F1) the focused widget, or the widget under the mouse pointer if the mouse moved after the last key press.
/// Never takes the keyboard focus and follows changes of the values. Escape, F1 or a click hides it.
class ExplanationCard : public QFrame {
    Q_OBJECT

 public:
    /// `window` is the main window or a dialog. The card is hidden at first.
    explicit ExplanationCard(QWidget* window);

    /// Hides the card of the current widget. Returns false if there is no explanation and the card was hidden.
    bool toggle();
    const Explanation& why() const { return m_why; }

 signals:
    void formulaRequested(int number);

 protected:
    /// Tooltips of the window show symbols with their subscripts.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

 private:
    /// Returns false if the widget shows its tooltip itself, or has none.
    bool showToolTip(QWidget* widget, const QPoint& mouse) const;
    Explanation currentExplanation() const;
    void show(const Explanation& why);
    void renew();
    void place();

    QPoint m_mouseAtKey;  // position of the mouse pointer at the last key press
    QPointer<QWidget> m_widget;
    Explanation m_why;
    QLabel* m_title;
    QLabel* m_summary;
    QLabel* m_text;
    QLabel* m_formulas;
    QTimer m_timer;
};

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
