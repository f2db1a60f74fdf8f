#pragma once

#include <QButtonGroup>
#include <QFrame>

namespace ropelab::ui {

/// The rooms, on the left; folded it shows their icons only. In a low window they stand closer.
class Rail : public QFrame {
    Q_OBJECT

 public:
    explicit Rail(QWidget* parent = nullptr);
    void setFolded(bool folded);
    void setCurrent(int room);
    QSize minimumSizeHint() const override;

 signals:
    void picked(int room);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void restyle();
    void fitHeights();
    QButtonGroup m_buttons;
    bool m_folded = false;
};

}  // namespace ropelab::ui
