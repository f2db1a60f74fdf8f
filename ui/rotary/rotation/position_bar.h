#pragma once

#include <QWidget>

#include "ui/rotary/rotation/rotation_state.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QToolButton;

namespace ropelab::ui {

class PositionSlider;

/// Where q and k stand: play, step, and both positions as fields and sliders.
class PositionBar : public QWidget {
    Q_OBJECT

 public:
    explicit PositionBar(QWidget* parent = nullptr);

    void show(const RotationScene& scene);
    void showPlaying(bool plays);

    /// Whether n goes with m and m with n.
    bool keepsDistance() const;
    /// Positions a second.
    double speed() const;

    PositionSlider* query() const { return m_query; }
    PositionSlider* key() const { return m_key; }
    QToolButton* playButton() const { return m_play; }
    QCheckBox* keepBox() const { return m_keep; }

 signals:
    void playToggled();
    void stepped(int by);
    void queryMoved(qint64 m);
    void keyMoved(qint64 n);

 private:
    QToolButton* makeButton(const QString& text, const QString& name, const QString& why);

    QToolButton* m_play;
    QCheckBox* m_keep;
    QComboBox* m_speed;
    QLabel* m_problem;
    PositionSlider* m_query;
    PositionSlider* m_key;
};

}  // namespace ropelab::ui
