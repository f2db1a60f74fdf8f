#pragma once

#include <QFocusFrame>

namespace ropelab::ui {

/// For widgets whose style shows no focus: lists, tables and widgets that paint themselves.
class FocusRing : public QFocusFrame {
    Q_OBJECT

 public:
    using QFocusFrame::QFocusFrame;

    /// For all windows; also scrolls to widgets that get the focus while hidden. Calls after the first have no effect.
    static void install();
    static bool isNeededBy(const QWidget* widget);

 protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace ropelab::ui
