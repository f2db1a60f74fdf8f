#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"
#include "ui/session/sweep_options.h"

namespace ropelab::ui {

/// The lab (file that stores experiments and their runs) that the window shows. A lab that has not been saved under a
/// name is stored in the user's data folder. This class is used on the GUI thread only; during training, the recorder
/// writes to the same file from another thread.
///
/// A lock file beside the lab marks it as open for writing in a window. A lab that is locked by another window is
/// opened read-only.
class LabDocument : public QObject {
    Q_OBJECT

 public:
    /// Creates an empty document. `labs` is the folder of unsaved labs; it is created when it is first needed.
    explicit LabDocument(QString labs, QObject* parent = nullptr);
    ~LabDocument() override;

    /// Returns the default folder of unsaved labs: $XDG_DATA_HOME/ropelab/labs.
    static QString standardFolder();

    /// Returns the folder of unsaved labs.
    const QString& folder() const { return m_labs; }
    /// Returns whether the lab has a file. A new lab gets its file when its first sweep starts.
    bool hasFile() const { return m_file != nullptr; }
    bool isReadOnly() const { return m_readOnly; }
    /// Returns whether the lab has not been saved under a name yet.
    bool isUnsaved() const { return m_unsaved; }
    /// Returns the file name without its suffix, or "not saved yet".
    QString name() const;
    /// Returns the absolute path of the file, or "" if the lab has no file.
    QString path() const;
    /// Returns the file, or null if the lab has none.
    const LabFile* file() const { return m_file.get(); }
    /// Reads the runs from the file; empty without a file.
    std::vector<RunRecord> runs() const;
    /// Reads the experiments from the file, oldest first; empty without a file.
    std::vector<ExperimentRecord> experiments() const;

    /// Closes the current lab and starts an empty one.
    void startEmptyLab();
    /// Opens a lab. Runs that are marked as running, because their program was killed, become stopped. Throws BadInput
    /// and keeps the current lab if the file is not a lab.
    void open(const QString& path, bool readOnly = false);
    /// Opens a lab read-only in place of the user's lab, or an empty unsaved lab if `path` is empty. The user's lab
    /// stays open and locked until returnToOwn(). Throws BadInput, and changes nothing, if the file is not a lab.
    void showInstead(const QString& path);
    /// Shows the user's lab again; does nothing if it is shown.
    void returnToOwn();
    /// Returns whether the lab is the user's and none that showInstead() opened.
    bool isOwn() const { return !m_own; }
    /// Returns whether the user's lab has not been saved under a name yet.
    bool isOwnUnsaved() const { return m_own ? m_own->unsaved : m_unsaved; }
    /// Returns the path of the user's lab, or "" if it has no file.
    QString ownPath() const;

    /// Saves a copy of the lab as `target` and continues with the copy; the file of an unsaved lab is deleted. Throws
    /// BadInput if the copy cannot be written. A link stays a link: the file that it names is replaced.
    void saveAs(const QString& target);
    /// Saves like saveAs(), but copies on a background thread. Calls `then` with "" when the document has switched to
    /// the copy, or with the reason why saving failed. The lab cannot be changed meanwhile. Opening another lab cancels
    /// the saving without calling `then`; `target` is then either complete or unchanged.
    void saveInBackground(const QString& target, std::function<void(const QString& error)> then);
    /// Returns whether saveInBackground() is running.
    bool isSaving() const { return m_saving.isRunning(); }

    /// Adds an experiment and its runs to the lab, creates the file if there is none, and returns a plan to train the
    /// runs. With the option to extend, only the runs that the lab lacks are added; their data are read from `dataDir`.
    /// Throws BadInput and adds nothing if the experiment or an option is invalid, or if no run is missing.
    Plan addSweep(const Experiment& experiment, const SweepOptions& options = {},
                  const std::filesystem::path& dataDir = {});
    /// Returns a plan to resume these runs. Throws BadInput for settings that this version of the program does not
    /// know.
    Plan planToResume(const std::vector<RunId>& runs) const;
    /// Returns whether a run can be resumed: it is waiting, stopped or failed.
    static bool canResume(const RunRecord& run);
    /// Returns whether resuming a run makes sense. It does not if the run failed after its first step, because it would
    /// fail again.
    static bool isUnfinished(const RunRecord& run);
    /// Returns the experiment that was added last; nullopt for an empty lab. `options` receives its search, whose
    /// samples are then not among the experiment's explicit runs.
    std::optional<Experiment> latestExperiment(SweepOptions* options = nullptr) const;

    /// Changes the name of a run. Throws BadInput if the lab is read-only.
    void renameRun(RunId id, const QString& name);
    /// Changes the note of a run. Throws BadInput if the lab is read-only.
    void annotateRun(RunId id, const QString& note);
    /// Marks a run as deleted, so that it can be restored. Throws BadInput if the lab is read-only.
    void deleteRun(RunId id);
    /// Changes how a setting is shown. Throws BadInput if the lab is read-only.
    void setLook(const SettingLook& look);
    /// Stores looks without emitting runsChanged(). Returns false and stores nothing if the lab cannot be written now.
    bool storeLooks(const std::vector<SettingLook>& looks);
    /// Returns what the user chose for this lab under a name; "" if nothing is stored or the lab cannot be read.
    std::string choice(const std::string& name) const;
    /// Stores a choice. Returns false and stores nothing if the lab cannot be written now.
    bool storeChoice(const std::string& name, const std::string& value);
    /// Stores answers to questions of a lecture in the user's lab, even while another one is shown in its place;
    /// creates the file if there is none. Throws BadInput if the lab is read-only.
    void addAnswers(const std::vector<AnswerRecord>& answers);
    /// Deletes answers to questions from the lab that is shown. Throws BadInput if the lab is read-only or if it is
    /// shown in place of the user's lab.
    void deleteAnswers(const std::vector<AnswerRecord>& answers);
    /// Restores a deleted run. Throws BadInput if the lab is read-only.
    void restoreRun(RunId id);

 signals:
    /// Another lab was opened; all data must be reloaded.
    void opened();
    /// The name or the path of the lab changed.
    void renamed();
    /// Runs were added, renamed, annotated, deleted or restored.
    void runsChanged();

 private:
    LabFile& writable();
    Plan extend(const Experiment& experiment, const SweepOptions& options, const std::filesystem::path& dataDir);
    /// Creates the file of an unsaved lab and locks it.
    std::pair<std::unique_ptr<LabFile>, std::unique_ptr<QLockFile>> makeUnsaved() const;
    void adopt(std::unique_ptr<LabFile> file, std::unique_ptr<QLockFile> lock, bool unsaved);
    void release();
    std::unique_ptr<QLockFile> lockFor(const QString& path) const;
    /// Locks a file. Throws BadInput if another window has locked it or its folder cannot be written.
    std::unique_ptr<QLockFile> lockTarget(const QString& path) const;
    void becomeCopy(const QString& path, std::unique_ptr<QLockFile> lock);

    /// The user's lab while another one is shown in its place.
    struct Own {
        std::unique_ptr<LabFile> file;
        std::unique_ptr<QLockFile> lock;
        bool unsaved;
        bool readOnly;
    };

    QString m_labs;
    std::optional<Own> m_own;
    std::unique_ptr<LabFile> m_file;
    std::unique_ptr<QLockFile> m_lock;
    bool m_unsaved = true;
    bool m_readOnly = false;
    LatestJob m_saving;  // declared last so that it is destroyed first
};

}  // namespace ropelab::ui
