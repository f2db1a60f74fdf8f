#pragma once

#include <QPointer>
#include <QWidget>
#include <cstdint>

#include "ui/rooms/rotation/rotation_state.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QSlider;
class QToolButton;

namespace ropelab::ui {

class FieldNote;

/// Edits a number of tokens. Unlike NumberSlider its range is set by show(), because it follows the context length. The
/// field marks input that is no integer or outside the range, problem() explains why, and the old value remains.
class PositionSlider : public QWidget {
    Q_OBJECT

 public:
    PositionSlider(const QString& name, const QString& accessibleName, const QString& tip, QWidget* parent = nullptr);

    std::int64_t value() const { return m_value; }
    std::int64_t last() const { return m_last; }
    /// The range is 0 … last. Emits no signal, and does not replace text that the user is typing.
    void show(std::int64_t value, std::int64_t last);
    /// Does what typing `typed` and pressing Enter does.
    void commit(const QString& typed);
    /// "" if the typed text is valid.
    QString problem() const { return m_problem; }

 signals:
    /// Emitted repeatedly during a drag.
    void changed(qint64 value);
    /// The user released the slider or pressed Enter.
    void finished();
    /// The typed text became invalid for the reason `sentence`, or valid again if `sentence` is "".
    void problemChanged(const QString& sentence);

 private:
    void setAndNotify(std::int64_t value);
    void showProblem(const QString& problem);

    QString m_name;
    QString m_tip;
    QString m_problem;
    std::int64_t m_value = 0;
    std::int64_t m_last = 1;
    bool m_setting = false;
    QLineEdit* m_field;
    QSlider* m_slider;
};

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
