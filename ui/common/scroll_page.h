#pragma once

#include <QScrollArea>

namespace ropelab::ui {

/// The content fills the available space and scrolls if that is smaller than its minimum size: wrapped texts keep all
/// their lines, and figures keep their minimum height. Page Up and Page Down scroll; the arrow keys go to the focused
/// widget.
class ScrollPage : public QScrollArea {
    Q_OBJECT

 public:
    /// Takes ownership of `content`, which must have a layout.
    explicit ScrollPage(QWidget* content, QWidget* parent = nullptr);
    /// Scrolls to `widget` after the layout has been updated.
    static void reveal(QWidget* widget);

 protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void fit();
};

}  // namespace ropelab::ui
