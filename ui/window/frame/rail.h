#pragma once

#include <QButtonGroup>
#include <QFrame>

namespace ropelab::ui {

/// Vertical bar with a button for each room. If folded, it shows only the icons. In a low window the buttons are lower.
class Rail : public QFrame {
    Q_OBJECT

 public:
    explicit Rail(QWidget* parent = nullptr);
    void setFolded(bool folded);
    /// A folded bar is only as wide as its icons, which leaves more space to the figure of a narrow window.
    void setTight(bool tight);
    void setCurrent(int room);
    QSize minimumSizeHint() const override;

 signals:
    void picked(int room);

 protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

 private:
    void restyle();
    void fitHeights();
    QButtonGroup m_buttons;
    bool m_folded = false;
    bool m_tight = false;
};

}  // namespace ropelab::ui
