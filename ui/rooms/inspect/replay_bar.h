#pragma once

#include <QDialog>
#include <QSlider>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/animation/export_process.h"
#include "ui/controls/form.h"
#include "ui/figures/job_fields.h"
#include "ui/rooms/inspect/replay_job.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class Settings;

/// Exports replays in a separate process.
class ReplayWriter : public ExportProcess {
    Q_OBJECT

 public:
    explicit ReplayWriter(QObject* parent = nullptr) : ExportProcess(u"replay"_s, parent) {}

    /// Returns false if an export is already running.
    bool start(const ReplayJob& job) {
        return ExportProcess::start({u"--replay"_s, QString::fromStdString(jobText(job))}, job.isAnimated());
    }
};

/// A slider over the stored snapshots, and buttons that replay or export them.
class ReplayBar : public QWidget {
    Q_OBJECT

 public:
    explicit ReplayBar(QWidget* parent = nullptr);

    /// `iterations` ascend. A cursor at the newest snapshot moves to the new newest one. Without iterations the bar
    /// shows `otherwise`.
    void setIterations(const std::vector<std::int64_t>& iterations, const QString& otherwise = u"no snapshots"_s);
    /// 0 if there are no snapshots.
    std::int64_t iteration() const;
    /// At the newest snapshot the cursor follows the training.
    bool isAtNewest() const { return m_slider->value() == m_slider->maximum(); }
    /// Moves the cursor to the nearest snapshot.
    void moveTo(double iteration);
    /// Moves the cursor by this many snapshots.
    void step(int by) { m_slider->setValue(m_slider->value() + by); }
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
    QString m_otherwise;
    QTimer m_timer;
    QToolButton* m_play;
    QComboBox* m_pace;
    QSlider* m_slider;
    QLabel* m_words;
    QToolButton* m_export;
    bool m_exporting = false;
    bool m_stopping = false;
};

/// Asks for format, width, frame rate and number of frames. Open this non-modal dialog with show(); it deletes itself
/// when closed.
class ReplayDialog : public QDialog {
    Q_OBJECT

 public:
    /// `snapshots` is the number of snapshots. Format and width are restored from the settings.
    ReplayDialog(Settings& settings, ReplayJob job, int snapshots, QWidget* parent = nullptr);

    /// The values of the fields are kept.
    void setJob(ReplayJob job) { m_job = std::move(job); }
    /// The format's suffix is appended if the path has another one.
    ReplayJob job(const QString& path) const;

    Form& form() { return m_form; }
    QLabel* words() const { return m_words; }
    QPushButton* saveButton() const { return m_save; }

 signals:
    void exportConfirmed(const ropelab::ui::ReplayJob& job);

 private:
    void renewWords();
    QString whyNotWritable(const QString& path) const;
    void save();

    Settings& m_settings;
    ReplayJob m_job;
    Form m_form;
    QLabel* m_words;
    QPushButton* m_save;
};

}  // namespace ropelab::ui
