#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"
#include "core/store/lab_file.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

/// The lab that the window shows: a document with a name, or one without that lives in the user's data folder until it
/// is saved. Belongs to the window's thread; while a sweep trains, its recorder writes to the same file from elsewhere.
///
/// A lab is locked (a file beside it) while a window has it open for writing; where another window has it, it is opened
/// for reading only.
class LabDocument : public QObject {
    Q_OBJECT

 public:
    /// `labs` is where labs without a name live; made when first needed.
    explicit LabDocument(QString labs, QObject* parent = nullptr);
    ~LabDocument() override;

    /// $XDG_DATA_HOME/ropelab/labs.
    static QString standardFolder();

    /// Where labs without a name live.
    const QString& folder() const { return m_labs; }
    /// Whether there is a file: a lab without a name gets one when its first sweep starts.
    bool hasFile() const { return m_file != nullptr; }
    bool isReadOnly() const { return m_readOnly; }
    /// Whether it has no name of its own yet.
    bool isUnsaved() const { return m_unsaved; }
    /// "shakespeare", or "not saved yet".
    QString name() const;
    QString path() const;
    /// Null where there is none yet.
    const LabFile* file() const { return m_file.get(); }
    /// As the file has them.
    std::vector<RunRecord> runs() const;
    std::vector<ExperimentRecord> experiments() const;

    /// Puts the present lab away and starts an empty one.
    void startAfresh();
    /// Throws BadInput, and keeps the present lab, where the file is not a lab. Runs that a killed program left running
    /// become stopped.
    void open(const QString& path, bool readOnly = false);
    /// Throws BadInput. From then on this document is the target; a lab that had no name leaves nothing behind.
    void saveAs(const QString& target);
    /// The same without holding up the window's thread, however large the checkpoints are: `then` gets "" when this
    /// document is the target, or why it could not be saved. Until then the lab takes no changes. Opening another lab
    /// before that gives it up, and `then` is not called: the target is there as a whole or as it was.
    void saveBeside(const QString& target, std::function<void(const QString& refusal)> then);
    bool isSaving() const { return m_saving.isRunning(); }

    /// Writes an experiment and its runs down (making the file where there is none) and returns them as a plan. Throws
    /// BadInput, and writes nothing, where the experiment does not hold together.
    Plan addSweep(const Experiment& experiment);
    /// The plan of runs that go on from where they stopped. Throws BadInput for settings that this program cannot read.
    Plan continued(const std::vector<RunId>& runs) const;
    /// Whether a run has steps left that it could still train.
    static bool canContinue(const RunRecord& run);
    /// Whether going on is what a person would want: not after a run failed by itself, which would fail again.
    static bool isUnfinished(const RunRecord& run);
    /// The experiment that was started last; nullopt in an empty lab.
    std::optional<Experiment> latestExperiment() const;

    void renameRun(RunId id, const QString& name);
    void annotateRun(RunId id, const QString& note);
    void deleteRun(RunId id);
    void restoreRun(RunId id);

 signals:
    /// Another lab is shown: everything is to be read anew.
    void opened();
    /// Its name or path changed.
    void renamed();
    /// Runs were added, renamed, annotated, deleted or restored.
    void runsChanged();

 private:
    LabFile& writable();
    void adopt(std::unique_ptr<LabFile> file, std::unique_ptr<QLockFile> lock, bool unsaved);
    void release();
    std::unique_ptr<QLockFile> lockFor(const QString& path) const;
    /// Throws BadInput where it is another window's.
    std::unique_ptr<QLockFile> lockTarget(const QString& path) const;
    void becomeCopy(const QString& path, std::unique_ptr<QLockFile> lock);

    QString m_labs;
    std::unique_ptr<LabFile> m_file;
    std::unique_ptr<QLockFile> m_lock;
    bool m_unsaved = true;
    bool m_readOnly = false;
    LatestJob m_saving;  // last, so that it ends first
};

}  // namespace ropelab::ui
