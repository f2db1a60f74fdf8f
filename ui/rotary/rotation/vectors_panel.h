#pragma once

#include <QWidget>

#include "ui/rotary/rotation/rotation_state.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

/// Where q and k come from: random, equal or aimed, drawn again; and in words what they are now.
class VectorsPanel : public QWidget {
    Q_OBJECT

 public:
    explicit VectorsPanel(QWidget* parent = nullptr);

    void show(const RotationState& state);
    QToolButton* button(VectorSource source) const;
    QPushButton* drawButton() const { return m_draw; }
    QString text() const;

 signals:
    void chosen(ropelab::ui::VectorSource source);
    void drawAsked();

 private:
    QToolButton* m_random;
    QToolButton* m_equal;
    QToolButton* m_aimed;
    QPushButton* m_draw;
    QLabel* m_text;
};

}  // namespace ropelab::ui
