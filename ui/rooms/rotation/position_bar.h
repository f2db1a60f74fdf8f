#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/rooms/rotation/rotation_state.h"

class QCheckBox;
class QComboBox;
class QToolButton;

namespace ropelab::ui {

class FieldNote;
class PositionSlider;

/// Sets the positions m of q and n of k: with a field and a slider each, with step buttons, and with playback.
class PositionBar : public QWidget {
    Q_OBJECT

 public:
    explicit PositionBar(QWidget* parent = nullptr);

    void show(const RotationScene& scene);
    void showPlaying(bool plays);

    /// The distance m − n is locked: moving one position then moves the other too.
    bool locksDistance() const;
    /// In positions per second.
    double speed() const;

    PositionSlider* query() const { return m_query; }
    PositionSlider* key() const { return m_key; }
    QToolButton* playButton() const { return m_play; }
    QCheckBox* lockBox() const { return m_lock; }

 signals:
    void playToggled();
    /// A step button moves m by `by` positions.
    void stepped(int by);
    void queryMoved(qint64 m);
    void keyMoved(qint64 n);
    /// The user released a slider or entered a position.
    void finished();

 private:
    QToolButton* makeButton(const QString& text, const QString& name, const QString& tip);

    QToolButton* m_play;
    QCheckBox* m_lock;
    QComboBox* m_speed;
    QPointer<FieldNote> m_problem;  // floats in another widget, which may be deleted first
    PositionSlider* m_query;
    PositionSlider* m_key;
};

}  // namespace ropelab::ui
