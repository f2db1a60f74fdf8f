#pragma once

#include <QDialog>

#include "ui/rooms/inspect/replay_job.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

class Settings;

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

    QComboBox* formats() const { return m_format; }
    QComboBox* widths() const { return m_width; }
    QDoubleSpinBox* frameRate() const { return m_frameRate; }
    QSpinBox* frames() const { return m_frames; }
    QCheckBox* dark() const { return m_dark; }
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
    QComboBox* m_format;
    QComboBox* m_width;
    QDoubleSpinBox* m_frameRate;
    QSpinBox* m_frames;
    QCheckBox* m_dark;
    QLabel* m_words;
    QPushButton* m_save;
};

}  // namespace ropelab::ui
