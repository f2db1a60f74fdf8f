#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/machine/engine_loader.h"
#include "core/run/runner.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_access.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

/// Locations and engine of a workspace; tests pass their own.
struct WorkspaceOptions {
    QString settingsFile;           // INI file of the settings; "": the settings of the user
    QString labsFolder;             // folder of unsaved labs; "": that of the user
    std::filesystem::path dataDir;  // folder that is searched first for known data sets
    Runner::EngineSource engine;    // opens the training engine; empty: open_engine
};

/// State that all rooms share, without widgets: the lab and its runs, the experiment to start next, the sweep that
/// trains, the undo stacks and the settings. Its functions implement actions and buttons; they report errors with
/// problem().
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
    /// Returns the undo stack of the lab: the settings of the sweep and the changes of its runs.
    QUndoStack& undo() { return m_undo; }
    /// Returns the undo stack of the rotary rooms; during a lecture, that of the lecture.
    QUndoStack& rotaryUndo() { return m_rotary.undoStack(); }
    /// Returns the undo stack that the rotary rooms use during a lecture.
    QUndoStack& lectureUndo() { return m_lectureUndo; }
    const std::filesystem::path& dataDir() const { return m_options.dataDir; }
    /// Returns a function that opens the training engine; it may be called on any thread.
    Runner::EngineSource engine() const { return m_engineLock.forTraining(); }
    /// Returns the lock of the engine, which either a training or an evaluation of a checkpoint holds.
    EngineLock& engineLock() { return m_engineLock; }
    RunAccess runAccess() { return {m_lab, m_runs, m_session, m_meter, m_engineLock, m_options.dataDir}; }

    void start() override;
    void resumeRuns(const std::vector<RunId>& runs) override;
    std::vector<RunId> unfinishedRuns() const override;
    void enqueue() override;
    void removeWaiting(std::int64_t cohort) override;
    void measure(std::vector<std::vector<RunSpec>> cohorts) override;
    /// Pauses or resumes the sweep that trains.
    void pauseOrResume();

    void renameRun(RunId id, const QString& name) override;
    void annotateRun(RunId id, const QString& note) override;
    void changeLook(const QString& text, const SettingLook& look) override;
    void renameSetting(const std::string& setting, const QString& name) override;
    void deleteRun(RunId id) override;

    /// Starts an empty lab. Does not block: if a sweep is active, it is stopped first and the lab changes afterwards.
    void newLab();
    void openLab(const QString& path) override;
    /// Saves the lab as `path`. Does not block: an active sweep is stopped first and resumes in the new file.
    void saveLabAs(const QString& path);
    /// Returns whether a sweep is active or the lab is being saved.
    bool isBusy() const;
    /// Calls `then` as soon as the workspace is not busy. Stops an active sweep, and cancels a sweep that waits for the
    /// end of a measurement.
    void whenIdle(std::function<void()> then);

    /// Begins a lecture: what it changes in the rotary setup and in the shown lab is no change of the user's. endLecture()
    /// restores the user's setup, undo history and lab.
    void beginLecture();
    void endLecture();
    bool isInLecture() const { return m_beforeLecture.has_value(); }
    /// Shows a lab read-only in place of the user's lab, or an empty unsaved one if `path` is empty. Throws BadInput if
    /// a sweep of the user is active or if the file is not a lab. A sweep that trainInstead() started is stopped first;
    /// `then` is called when the lab is shown, or with the reason why it cannot be shown.
    void showLabInstead(const QString& path, std::function<void(const QString& error)> then);
    /// Shows the user's lab again, and then calls `then`. A sweep that trainInstead() started is stopped first.
    void showOwnLab(std::function<void()> then = {});
    /// Starts to train an experiment in an empty unsaved lab in place of the user's. Throws BadInput as
    /// showLabInstead(), and for an invalid experiment. Requires that no sweep is active.
    void trainInstead(const Experiment& experiment);

    /// Reopens the unsaved lab of the previous session. Returns false if there is none or it has no runs.
    bool reopenUnsaved();

 signals:
    /// The lab was saved under a new name.
    void labSaved();

 private:
    void train(Plan plan);
    void attempt(const QString& id, const std::function<void()>& work);
    /// Executes `redo` as an undoable step named `text`.
    void change(const QString& text, std::function<void()> redo, std::function<void()> undo);
    /// Calls the functions that were passed to whenIdle() while the workspace was busy.
    void callWhenIdle();
    /// Deletes runs from the lab. Throws BadInput if one of them is training.
    void deleteNow(const std::vector<RunId>& runs);
    /// Adds the current lab to the recent labs if it is unsaved and has runs, before another lab replaces it.
    void addUnsavedToRecent();
    void sweepEnded(RunState how, const QString& message);
    void storeLabPath();
    void requireNoOwnSweep() const;
    /// Changes the shown lab while the undo history and the experiment of the user stay.
    void exchangeLab(const std::function<void()>& change);
    /// Stores the colours of settings that were seen for the first time.
    void storeColors();
    void storeQueue();

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
    bool m_isExchanging = false;    // a lecture shows another lab, or the user's lab again
    std::vector<RunId> m_training;  // runs of the active or last sweep
    std::vector<std::function<void()>> m_whenIdle;
    std::optional<Plan> m_afterMeter;  // the sweep to start when the measurement has ended
    // Declared last so that their threads end first.
    SweepSession m_session;
    SweepMeter m_meter;
};

}  // namespace ropelab::ui
