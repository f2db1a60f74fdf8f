#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace ropelab::ui {

/// The time axis of the Inspect room: a slider over the stored snapshots, play at a chosen pace, export.
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

    /// Says how far an export is, in place of the step; the button then asks to stop it.
    void showExport(const QString& words);
    /// It was asked to stop, which takes a moment; nothing can be asked meanwhile.
    void showStopping();
    /// It is over; says so until the cursor moves, "" for nothing.
    void endExport(const QString& words);

    QLabel* words() const { return m_words; }
    QSlider* slider() const { return m_slider; }
    QToolButton* playButton() const { return m_play; }
    QComboBox* pace() const { return m_pace; }
    QToolButton* exportButton() const { return m_export; }

 signals:
    void moved(qint64 iteration);
    /// Or to stop the one that runs.
    void exportAsked();

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void renewWords();
    void renewExport();

    std::vector<std::int64_t> m_iterations;
    QTimer m_timer;
    QToolButton* m_play;
    QComboBox* m_pace;
    QSlider* m_slider;
    QLabel* m_words;
    QToolButton* m_export;
    bool m_exporting = false;
    bool m_stopping = false;
};

}  // namespace ropelab::ui
