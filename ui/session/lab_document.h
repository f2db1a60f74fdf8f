#pragma once

#include <QLockFile>
#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/interop/external_model.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"
#include "ui/session/experiment_model.h"

namespace ropelab::ui {

/// stem.ropelab, else "stem (2).ropelab" and so on: the first that does not exist.
QString freeLabPath(const QString& stem);

/// Without any run, all may have changed.
struct RunChanges {
    std::vector<RunId> renewed = {};  // added, renamed, annotated or restored
    std::vector<RunId> deleted = {};
    bool areOfAll() const { return renewed.empty() && deleted.empty(); }
};

/// A lab without a name is stored in the user's data folder. Used on the GUI thread only; during training, the recorder
/// writes to the same file from another thread. A lock file marks the lab as open for writing; a lab that another
/// window has locked is opened read-only.
class LabDocument : public QObject {
    Q_OBJECT

 public:
    /// `labs` is the folder of unsaved labs; it is created when it is first needed.
    explicit LabDocument(QString labs, QObject* parent = nullptr);
    ~LabDocument() override;

    /// $XDG_DATA_HOME/ropelab/labs, for unsaved labs.
    static QString standardFolder();

    const QString& folder() const { return m_labs; }
    /// A new lab gets its file when its first sweep starts.
    bool hasFile() const { return m_file != nullptr; }
    bool isReadOnly() const { return m_readOnly; }
    bool isUnsaved() const { return m_unsaved; }
    /// File name without its suffix, or "unnamed" for an unsaved lab, whose file has a name of the program.
    QString name() const;
    /// Absolute path, or "" if the lab has no file.
    QString path() const;
    /// Null if the lab has no file.
    const LabFile* file() const { return m_file.get(); }
    /// Empty without a file.
    std::vector<RunRecord> runs() const { return m_file ? m_file->runs() : std::vector<RunRecord>(); }
    /// Oldest first; empty without a file.
    std::vector<ExperimentRecord> experiments() const {
        return m_file ? m_file->experiments() : std::vector<ExperimentRecord>();
    }

    void startEmptyLab();
    /// Of an unsaved lab, which has no file yet.
    QString unusedPath() const;
    /// Runs whose program was killed become stopped. Throws BadInput and keeps the current lab if the file is not a
    /// lab.
    void open(const QString& path, bool readOnly = false);
    /// The lab file that open() would show, and the lock that makes it the window's.
    struct Read {
        std::unique_ptr<LabFile> file;
        std::unique_ptr<QLockFile> lock;
    };
    /// May be called on any thread; changes no document. Throws as open().
    static Read read(const QString& path, bool readOnly = false);
    void show(Read lab);
    /// Opens a lab read-only in place of the user's lab, or an empty unsaved lab if `path` is empty. The user's lab
    /// stays open and locked until returnToOwn(). Throws BadInput, and changes nothing, if the file is not a lab.
    void showInstead(const QString& path);
    /// Does nothing if the user's lab is shown.
    void returnToOwn();
    /// The lab is the user's and none that showInstead() opened.
    bool isOwn() const { return !m_own; }
    bool isOwnUnsaved() const { return m_own ? m_own->unsaved : m_unsaved; }
    /// "" if the user's lab has no file.
    QString ownPath() const;

    /// Saves a copy and continues with it; the file of an unsaved lab is deleted. Throws BadInput if the copy cannot be
    /// written. A link stays a link: the file that it names is replaced.
    void saveAs(const QString& target);
    /// Calls `then` with "" when the document has switched to the copy, or with the reason why saving failed. The lab
    /// cannot be changed meanwhile. Opening another lab cancels the saving without calling `then`; `target` is then
    /// either complete or unchanged.
    void saveInBackground(const QString& target, std::function<void(const QString& error)> then);
    /// Or adding a sweep; the lab cannot be changed meanwhile.
    bool isSaving() const { return m_saving.isRunning(); }

    /// Adds an experiment and its runs, creates the file if there is none, and returns a plan to train the runs. With
    /// the option to extend, only the runs that the lab lacks are added; their data are read from `dataDir`. Throws
    /// BadInput and adds nothing if the experiment or an option is invalid, or if no run is missing.
    Plan addSweep(const Experiment& experiment, const SweepOptions& options = {},
                  const std::filesystem::path& dataDir = {});
    /// As addSweep(), for a large lab on another thread: `then` gets the plan, or the reason why nothing was added.
    /// Opening another lab cancels it without calling `then`; the runs are then in the lab, or not.
    void addSweepInBackground(const Experiment& experiment, const SweepOptions& options,
                              const std::filesystem::path& dataDir,
                              std::function<void(Plan plan, const QString& error)> then);
    bool isAdding() const { return m_isAdding; }
    /// Until `then` has been called.
    void waitForSweep() {
        while (isAdding() && m_saving.isRunning()) m_saving.wait();
    }
    /// Reading or changing all its runs would stop the window: more than a tenth of a second.
    static bool isLarge(const QString& path);
    /// The runs that the stopping rules of the lab need for their next looks; empty if every comparison has ended, or
    /// while the lab cannot be changed: ask again at the end of the next sweep.
    /// Throws BadInput if the lab cannot be written.
    std::vector<RunId> addNextLooks();
    /// Throws BadInput for settings that this version of the program does not know.
    Plan planToResume(const std::vector<RunId>& runs) const;
    /// Waiting, stopped or failed.
    static bool canResume(const RunRecord& run);
    /// A run that failed after its first step is not unfinished: it would fail again.
    static bool isUnfinished(const RunRecord& run);
    /// Without those of imported runs; nullopt if there is none. `options` receives the search, whose samples are then
    /// not among the experiment's explicit runs, and the stopping rule, whose further seeds are not listed.
    std::optional<Experiment> latestExperiment(SweepOptions* options = nullptr) const;

    /// Throws BadInput if the lab is read-only, as the other functions that change a run or a look.
    void renameRun(RunId id, const QString& name);
    void annotateRun(RunId id, const QString& note);
    /// Marks the run as deleted, so that it can be restored.
    void deleteRun(RunId id);
    void setLook(const SettingLook& look);
    /// Emits no signal. Returns false and stores nothing if the lab cannot be written now.
    bool storeLooks(const std::vector<SettingLook>& looks);
    /// What the user chose for this lab under a name; "" if nothing is stored or the lab cannot be read.
    std::string choice(const std::string& name) const;
    /// While the lab is being saved or a sweep is being added, the choice is stored afterwards. Returns false and
    /// stores nothing if the lab cannot be written.
    bool storeChoice(const std::string& name, const std::string& value);
    /// Models that others trained, which the lab names and does not contain. Their run ids are −1, −2, … in this order.
    const std::vector<ModelMark>& models() const { return m_models; }
    /// Null for the id of a run.
    const ModelMark* model(RunId id) const;
    /// Returns its id; replaces one of the same path. A lab that cannot be written names it until it is closed.
    RunId addModel(const ModelMark& mark);
    /// In the user's lab, even while another one is shown; creates the file if needed. Throws BadInput if it is
    /// read-only.
    void addAnswers(const std::vector<AnswerRecord>& answers);
    /// From the lab that is shown. Throws BadInput if it is read-only or not the user's lab.
    void deleteAnswers(const std::vector<AnswerRecord>& answers);
    void restoreRun(RunId id);

 signals:
    /// All data must be reloaded.
    void opened();
    /// Name or path changed.
    void renamed();
    /// Runs were added, renamed, annotated, deleted or restored.
    void runsChanged(const ropelab::ui::RunChanges& changes = {});
    void lookChanged(const ropelab::SettingLook& look);
    void modelsChanged();

 private:
    LabFile& writable();
    void storeLate();
    std::pair<std::unique_ptr<LabFile>, std::unique_ptr<QLockFile>> makeUnsaved() const;
    void adopt(std::unique_ptr<LabFile> file, std::unique_ptr<QLockFile> lock, bool unsaved);
    void release();
    static std::unique_ptr<QLockFile> lockFor(const QString& path);
    /// Throws BadInput if another window has locked the file or its folder cannot be written.
    std::unique_ptr<QLockFile> lockTarget(const QString& path) const;
    void becomeCopy(const QString& path, std::unique_ptr<QLockFile> lock);

    struct Own {
        std::unique_ptr<LabFile> file;
        std::unique_ptr<QLockFile> lock;
        bool unsaved;
        bool readOnly;
    };

    QString m_labs;
    std::vector<ModelMark> m_models;
    std::map<std::string, std::string> m_late;  // choices that m_file gets when m_saving has ended
    std::optional<Own> m_own;
    std::unique_ptr<LabFile> m_file;
    std::unique_ptr<QLockFile> m_lock;
    bool m_unsaved = true;
    bool m_readOnly = false;
    bool m_isAdding = false;  // m_saving adds a sweep
    LatestJob m_saving;       // declared last so that it is destroyed first
};

}  // namespace ropelab::ui
