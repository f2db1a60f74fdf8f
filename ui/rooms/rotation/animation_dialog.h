#pragma once

#include <QDialog>

#include "ui/animation/export_process.h"
#include "ui/controls/form.h"
#include "ui/rooms/rotation/animation_job.h"

class QLabel;
class QPushButton;

namespace ropelab::ui {

/// Exports an animation of a rotary figure in a separate process: θ gliding, and for figures of the Rotation room m
/// running or one pair after the other. Open this non-modal dialog with show(); it deletes itself when closed, which
/// stops the export.
class AnimationDialog : public QDialog {
    Q_OBJECT

 public:
    explicit AnimationDialog(AnimationJob job, QWidget* parent = nullptr);

    /// The format's suffix is appended if the path has another one.
    AnimationJob job(const QString& path) const;

    Form& form() { return m_form; }
    QLabel* words() const { return m_words; }
    QPushButton* saveButton() const { return m_save; }
    ExportProcess& process() { return m_process; }

 private:
    void makeFields();
    void connectProcess();
    void resetRange();
    void renewWords();
    void save();
    void endExport(const QString& words);

    AnimationJob m_job;
    ExportProcess m_process;
    Form m_form;
    QLabel* m_words;
    QPushButton* m_save;
};

}  // namespace ropelab::ui
