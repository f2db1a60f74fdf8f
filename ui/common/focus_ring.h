#pragma once

#include <QFocusFrame>

namespace ropelab::ui {

/// A ring around the widget that has the keyboard focus, for widgets whose style shows none: lists, tables and widgets
/// that paint themselves. Buttons, fields, text areas and figures have a ring of their own.
class FocusRing : public QFocusFrame {
    Q_OBJECT

 public:
    using QFocusFrame::QFocusFrame;

    /// Shows the focus of all windows of the program, also of widgets that a scroll area hides when the keyboard focus
    /// enters it. Calls after the first have no effect.
    static void install();
    /// Returns whether a widget needs the ring.
    static bool isNeededBy(const QWidget* widget);

 protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ropelab::ui
