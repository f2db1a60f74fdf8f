#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace ropelab::ui {

/// The time axis of the Inspect room: a slider over the stored snapshots, play at a chosen pace, frames to files.
class ReplayBar : public QWidget {
    Q_OBJECT

 public:
    explicit ReplayBar(QWidget* parent = nullptr);

    /// The snapshots' iterations, ascending. A cursor at the newest one follows.
    void setIterations(const std::vector<std::int64_t>& iterations);
    /// 0 without any.
    std::int64_t iteration() const;
    /// Puts the cursor on the snapshot that is nearest to an iteration.
    void moveTo(double iteration);
    void step(int by);
    void setPlaying(bool playing);
    bool isPlaying() const { return m_timer.isActive(); }

    /// Says something in place of the step, until the cursor moves.
    void say(const QString& words);

    QSlider* slider() const { return m_slider; }
    QToolButton* playButton() const { return m_play; }
    QComboBox* pace() const { return m_pace; }
    QToolButton* framesButton() const { return m_frames; }

 signals:
    void moved(qint64 iteration);
    void framesAsked();

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void renewWords();

    std::vector<std::int64_t> m_iterations;
    QTimer m_timer;
    QToolButton* m_play;
    QComboBox* m_pace;
    QSlider* m_slider;
    QLabel* m_words;
    QToolButton* m_frames;
};

}  // namespace ropelab::ui
