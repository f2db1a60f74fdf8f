#pragma once

#include <QFocusFrame>

namespace ropelab::ui {

/// A ring around the widget that has the keyboard focus, for widgets whose style shows none: lists, tables and widgets
/// that paint themselves. Buttons, fields and figures have a ring of their own; a text area whose style sheet removes
/// its border has none and sets the property kNeedsRing.
class FocusRing : public QFocusFrame {
    Q_OBJECT

 public:
    using QFocusFrame::QFocusFrame;

    /// Name of the property that a widget without a focus border sets to true.
    static constexpr const char* kNeedsRing = "needsFocusRing";

    /// Shows the focus of all windows of the program, also of widgets that a scroll area hides when the keyboard focus
    /// enters it. Calls after the first have no effect.
    static void install();
    /// Returns whether a widget needs the ring.
    static bool isNeededBy(const QWidget* widget);

 protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ropelab::ui
