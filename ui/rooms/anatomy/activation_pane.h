#pragma once

#include <QString>
#include <QWidget>
#include <filesystem>
#include <map>
#include <memory>

#include "core/report/anatomy_report.h"
#include "core/study/stage_activation.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"
#include "ui/session/run_checkpoint.h"

class QComboBox;
class QLineEdit;

namespace ropelab::ui {

class FigureView;

/// A field for the text, a list of layers and heads, and a heat map of a stage's output. An empty field stands for the
/// beginning of the run's validation split.
class ActivationPane : public QWidget {
    Q_OBJECT

 public:
    explicit ActivationPane(RunAccess access, QWidget* parent = nullptr);

    /// Without a stage or a path, the map says `why`.
    void showStage(const RunCheckpoint& checkpoint, const AnatomySection* section, const AnatomyStage* stage,
                   std::int64_t heads, const QString& why);

    FigureView* view() const { return m_view; }
    QLineEdit* textField() const { return m_text; }
    QComboBox* outputs() const { return m_outputs; }
    bool isRunning() const { return m_job.isRunning(); }

 private:
    void load();
    void say(const QString& why);

    RunAccess m_access;
    QLineEdit* m_text;
    QComboBox* m_outputs;
    FigureView* m_view;
    RunCheckpoint m_checkpoint;
    QString m_stage;  // id of the stage; "" for none
    QString m_name;
    std::map<std::filesystem::path, std::string> m_excerpts;  // texts of runs whose field is empty
    bool m_waits = false;                                     // for the end of training
    LatestJob m_job;                                          // last member, so that it is destroyed first
};

}  // namespace ropelab::ui
