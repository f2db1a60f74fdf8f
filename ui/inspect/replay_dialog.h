#pragma once

#include <QDialog>
#include <functional>

#include "ui/inspect/replay_job.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

class Settings;

/// A small non-modal window that asks how a replay is written: animated or frame by frame, how wide, how fast, how many
/// frames. Show it with show(); it deletes itself when closed.
class ReplayDialog : public QDialog {
    Q_OBJECT

 public:
    /// `job`: what is replayed, at which pace; `snapshots`: how many there are. Format and width are those of last
    /// time.
    ReplayDialog(Settings& settings, ReplayJob job, int snapshots, QWidget* parent = nullptr);

    /// Replays something else, written as the fields have it.
    void setJob(ReplayJob job) { m_job = std::move(job); }
    /// As the fields have it, for a file of that name; one of another ending gets the format's after it.
    ReplayJob job(const QString& path) const;
    /// Asks for a file's name; tests answer for the person. "" where the person thought better of it.
    std::function<QString(const QString& suggestion)> askPath;

    QComboBox* formats() const { return m_format; }
    QComboBox* widths() const { return m_width; }
    QDoubleSpinBox* rate() const { return m_rate; }
    QSpinBox* frames() const { return m_frames; }
    QCheckBox* dark() const { return m_dark; }
    QLabel* words() const { return m_words; }
    QPushButton* saveButton() const { return m_save; }

 signals:
    void wanted(const ropelab::ui::ReplayJob& job);

 private:
    void renewWords();
    QString whyNotTo(const QString& path) const;
    void save();

    Settings& m_settings;
    ReplayJob m_job;
    QComboBox* m_format;
    QComboBox* m_width;
    QDoubleSpinBox* m_rate;
    QSpinBox* m_frames;
    QCheckBox* m_dark;
    QLabel* m_words;
    QPushButton* m_save;
};

}  // namespace ropelab::ui
