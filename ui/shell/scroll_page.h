#pragma once

#include <QScrollArea>

namespace ropelab::ui {

/// Wrapped texts keep all their lines and figures their minimum height; the page scrolls if there is less space. Page
/// Up and Page Down scroll; the arrow keys go to the focused widget.
class ScrollPage : public QScrollArea {
    Q_OBJECT

 public:
    explicit ScrollPage(QWidget* parent = nullptr);
    /// Takes ownership of `content`, which must have a layout. Made as a child of viewport(), it keeps its parent: a
    /// new one would give all its widgets their style again, which takes a tenth of the time in which the window
    /// starts.
    void setContent(QWidget* content);
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
