#pragma once

#include <QButtonGroup>
#include <QFrame>

namespace ropelab::ui {

/// The rooms, on the left; folded it shows their icons only.
class Rail : public QFrame {
    Q_OBJECT

 public:
    explicit Rail(QWidget* parent = nullptr);
    void setFolded(bool folded);
    void setCurrent(int room);

 signals:
    void picked(int room);

 private:
    void restyle();
    QButtonGroup m_buttons;
    bool m_folded = false;
};

}  // namespace ropelab::ui
