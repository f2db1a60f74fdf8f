#pragma once

#include <QFocusFrame>

namespace ropelab::ui {

/// For focused widgets whose style shows no ring: lists, tables and widgets that paint themselves. Buttons, fields,
/// text areas and figures have a ring of their own.
class FocusRing : public QFocusFrame {
    Q_OBJECT

 public:
    using QFocusFrame::QFocusFrame;

    /// For all windows of the program, also for widgets that a scroll area hides when the keyboard focus enters it.
    /// Calls after the first have no effect.
    static void install();
    static bool isNeededBy(const QWidget* widget);

 protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ropelab::ui
