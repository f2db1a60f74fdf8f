#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <filesystem>
#include <map>

#include "core/report/anatomy_report.h"
#include "core/store/lab_file.h"
#include "core/study/stage_activation.h"
#include "ui/common/latest_job.h"
#include "ui/figure/figure.h"
#include "ui/session/engine_work.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLineEdit;

namespace ropelab::ui {

class FigureView;

inline constexpr const char* kActivationFigure = "anatomy-activation";

bool isMatrixPerHead(const QString& stage);

/// A heat map with the tokens as rows. If the output is one matrix per head, the map shows that of `head`.
Figure activationFigure(const StageActivation& activation, const QString& stage, const QStringList& tokens, int head);
/// Evaluates a run's checkpoint; an empty text is the beginning of its validation split. `stage` is an id with its
/// layer and its head if there are several: "head", "attention.weights/0/1". Throws BadInput if the run has no
/// checkpoint or no such stage.
Figure activationFigureOf(Engine& engine, const LabFile& lab, RunId run, const QString& stage, const QString& text,
                          const std::filesystem::path& dataDir);
FigureOrigin activationOrigin(const Figure& figure, const LabFile& lab, RunId run);
Figure missingActivation(const QString& why);

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
    /// The layer and head that any room picked last, if the stage has them.
    void takeHead();
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
