#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace ropelab::ui {

/// A slider over the stored snapshots, and buttons that replay or export them.
class ReplayBar : public QWidget {
    Q_OBJECT

 public:
    explicit ReplayBar(QWidget* parent = nullptr);

    /// `iterations` ascend. A cursor at the newest snapshot moves to the new newest one.
    void setIterations(const std::vector<std::int64_t>& iterations);
    /// 0 if there are no snapshots.
    std::int64_t iteration() const;
    /// At the newest snapshot the cursor follows the training.
    bool isAtNewest() const;
    /// Moves the cursor to the nearest snapshot.
    void moveTo(double iteration);
    /// Moves the cursor by this many snapshots.
    void step(int by);
    void setPlaying(bool playing);
    bool isPlaying() const { return m_timer.isActive(); }

    /// Shows `words` instead of the step; the export button then stops the export.
    void showExport(const QString& words);
    /// The export button is disabled meanwhile.
    void showStopping();
    /// `words` are shown until the cursor moves; "" shows the step.
    void endExport(const QString& words);

    QLabel* words() const { return m_words; }
    QSlider* slider() const { return m_slider; }
    QToolButton* playButton() const { return m_play; }
    QComboBox* pace() const { return m_pace; }
    QToolButton* exportButton() const { return m_export; }

 signals:
    void moved(qint64 iteration);
    /// Export the replay, or stop the running export.
    void exportRequested();

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
