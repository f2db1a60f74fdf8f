#pragma once

#include <QScrollArea>

namespace ropelab::ui {

/// A page that fills its place and scrolls where that is lower, or narrower, than what stands in it needs: words keep
/// all their lines, and no picture gets lower than its minimum. Page Up and Page Down scroll it; arrow keys are left to
/// what has the keyboard.
class ScrollPage : public QScrollArea {
    Q_OBJECT

 public:
    /// Takes the content, which has a layout.
    explicit ScrollPage(QWidget* content, QWidget* parent = nullptr);
    /// Scrolls the page that a widget lies in to it, once everything has its place.
    static void reveal(QWidget* widget);

 protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void fit();
};

}  // namespace ropelab::ui
