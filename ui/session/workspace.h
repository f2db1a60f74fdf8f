#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/machine/engine_loader.h"
#include "core/run/runner.h"
#include "ui/common/latest_job.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_access.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

struct WorkspaceOptions {
    QString settingsFile;           // INI file of the settings; "": the settings of the user
    QString labsFolder;             // folder of unsaved labs; "": that of the user
    std::filesystem::path dataDir;  // folder that is searched first for known data sets
    Runner::EngineSource engine;    // opens the training engine; empty: open_engine
};

/// State that all rooms share, without widgets. Errors are reported with problem().
class Workspace : public SessionActions {
    Q_OBJECT

 public:
    explicit Workspace(WorkspaceOptions options, QObject* parent = nullptr);
    ~Workspace() override;

    Settings& settings() { return m_settings; }
    LabDocument& lab() { return m_lab; }
    const LabDocument& lab() const { return m_lab; }
    RunStore& runs() { return m_runs; }
    ExperimentModel& experiment() { return m_experiment; }
    SweepSession& session() { return m_session; }
    SweepMeter& meter() { return m_meter; }
    RotaryModel& rotary() { return m_rotary; }
    /// The settings of the sweep and the changes of its runs.
    QUndoStack& undo() { return m_undo; }
    /// The stack of the rotary rooms; during a lecture, that of the lecture.
    QUndoStack& rotaryUndo() { return m_rotary.undoStack(); }
    /// Used by the rotary rooms during a lecture.
    QUndoStack& lectureUndo() { return m_lectureUndo; }
    const std::filesystem::path& dataDir() const { return m_options.dataDir; }
    /// Opens the training engine; may be called on any thread.
    Runner::EngineSource engine() const { return m_engineLock.forTraining(); }
    /// Either a training or an evaluation of a checkpoint holds the lock.
    EngineLock& engineLock() { return m_engineLock; }
    RunAccess runAccess() { return {m_lab, m_runs, m_session, m_meter, m_engineLock, m_options.dataDir}; }

    void start() override;
    void resumeRuns(const std::vector<RunId>& runs) override;
    std::vector<RunId> unfinishedRuns() const override;
    void enqueue() override;
    void removeWaiting(std::int64_t cohort) override;
    void measure(std::vector<std::vector<RunSpec>> cohorts) override;
    void pauseOrResume();

    void renameRun(RunId id, const QString& name) override;
    void annotateRun(RunId id, const QString& note) override;
    void changeLook(const QString& text, const SettingLook& look) override;
    void renameSetting(const std::string& setting, const QString& name) override;
    void deleteRun(RunId id) override;

    /// Does not block: an active sweep is stopped first and the lab changes afterwards. A lab that cannot be read
    /// leaves the one before it.
    void newLab();
    void openLab(const QString& path) override;
    /// Blocks until the file has been read, unless a sweep is active.
    void openLabNow(const QString& path);
    /// A large lab is being read on another thread; the window shows the lab before it. Another lab that is opened
    /// replaces it, a sweep that starts cancels it and says so, lectures and the example wait for it, and saving under
    /// another name puts it off.
    bool isOpeningLab() const { return m_labJob.isRunning(); }
    /// Its absolute path; "" if no lab is being read.
    QString openingLab() const { return isOpeningLab() ? m_opening : QString(); }
    /// Reads the headers of a model on another thread, then the lab names it and inspectAsked() follows. `path`: a
    /// folder, a file of weights, or one of the JSON files of its folder.
    void openModel(const QString& path);
    /// Of a folder, or of a file of weights; false for a lab.
    static bool isModel(const QString& path);
    bool isOpeningModel() const { return m_modelJob.isRunning(); }
    /// Does not block: an active sweep is stopped first and resumes in the new file.
    void saveLabAs(const QString& path);
    /// A sweep is active or the lab is being saved.
    bool isBusy() const { return m_session.isActive() || m_lab.isSaving(); }
    /// Or waits to train in the user's lab, so that no other lab can be shown in its place.
    bool trainsOwnSweep() const { return (m_session.isActive() && m_lab.isOwn()) || m_afterMeter; }
    /// Stops an active sweep, and cancels a sweep that waits for the end of a measurement.
    void whenIdle(std::function<void()> then);

    /// What a lecture changes is no change of the user's: endLecture() restores setup, undo history and lab.
    void beginLecture();
    void endLecture();
    /// Shows a lab read-only in place of the user's lab, or an empty unsaved one if `path` is empty. Throws BadInput if
    /// a sweep of the user is active or if the file is not a lab. A sweep that trainInstead() started is stopped first;
    /// `then` is called when the lab is shown, or with the reason why it cannot be shown.
    void showLabInstead(const QString& path, std::function<void(const QString& error)> then);
    /// A sweep that trainInstead() started is stopped first.
    void showOwnLab(std::function<void()> then = {});
    /// As showLabInstead(), of a lab whose runs `plan` trains then.
    void trainInstead(const QString& lab, Plan plan, std::function<void(const QString& error)> then);

    /// The unsaved lab of the previous session. Returns false if there is none or it has no runs.
    bool reopenUnsaved();
    /// Opens the engine on another thread, so that the first sweep starts sooner. A problem is reported when it starts.
    void prepareEngine();
    /// As showLabInstead(); a sweep that the user starts then trains in the user's lab, with the settings of the panel.
    void showExample(const QString& path, std::function<void(const QString& error)> then);
    bool showsExample() const { return m_isExample; }

 signals:
    void labSaved();

 private:
    /// False, with libTorchMissing(), if the engine cannot be opened for want of LibTorch.
    bool hasLibTorch();
    void train(Plan plan);
    /// To the active sweep, or to the one that waits for the end of a measurement; otherwise it is trained.
    void append(const Plan& plan);
    /// Of the experiment; calls `then` when its runs are in the lab, now or after this function. Throws BadInput.
    void addSweep(std::function<void(Plan plan)> then);
    void change(const QString& text, std::function<void()> redo, std::function<void()> undo);
    void callWhenIdle();
    /// Throws BadInput if one of the runs is training.
    void requireEnded(const std::vector<RunId>& runs) const;
    void deleteNow(const std::vector<RunId>& runs);
    /// If the current lab is unsaved and has runs, before another lab replaces it.
    void addUnsavedToRecent();
    void sweepEnded(RunState how, const QString& message);
    void storeLabPath();
    /// `other`: what cannot be shown in place of the user's lab.
    void requireNoOwnSweep(const char* other);
    /// The undo history and the experiment of the user stay.
    void exchangeLab(const std::function<void()>& change);
    /// Colours of settings that were seen for the first time.
    void storeColors();
    void storeQueue();
    void showLab(const std::function<void()>& show);
    void readAndShow(const QString& path);
    void cancelOpening();

    WorkspaceOptions m_options;
    EngineLock m_engineLock{m_options.engine ? m_options.engine : Runner::EngineSource(&open_engine)};
    Settings m_settings;
    QUndoStack m_undo;
    QUndoStack m_rotaryUndo;
    QUndoStack m_lectureUndo;
    LabDocument m_lab;
    RunStore m_runs;
    ExperimentModel m_experiment;
    RotaryModel m_rotary{m_rotaryUndo};
    std::optional<RotaryModel::State> m_beforeLecture;
    QString m_opening;                   // path of the lab that m_labJob reads
    std::optional<LoadedRuns> m_loaded;  // the runs of the lab that LabDocument shows next
    bool m_isExample = false;            // the lab that is shown is the one that comes with the program
    bool m_isExchanging = false;         // a lecture shows another lab, or the user's lab again
    std::vector<RunId> m_training;       // runs of the active or last sweep
    std::vector<std::function<void()>> m_whenIdle;
    std::optional<Plan> m_afterMeter;  // the sweep to start when the measurement has ended
    // Declared last so that their threads end first.
    SweepSession m_session;
    SweepMeter m_meter;
    LatestJob m_preparation;
    LatestJob m_modelJob;
    LatestJob m_labJob;
};

}  // namespace ropelab::ui
