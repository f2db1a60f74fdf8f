#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace ropelab::ui {

/// A column that fills its place and scrolls where that is lower than what stands in it needs at this width: words keep
/// all their lines, and no picture gets lower than its minimum.
class ScrollPage : public QScrollArea {
    Q_OBJECT

 public:
    explicit ScrollPage(QWidget* parent = nullptr);
    QVBoxLayout* column() const { return m_column; }
    /// Scrolls to a widget in it, once everything has its place.
    void reveal(QWidget* widget);

 protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void fit();
    QVBoxLayout* m_column;
};

}  // namespace ropelab::ui
