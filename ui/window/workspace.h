#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/experiment/engine_loader.h"
#include "core/experiment/runner.h"
#include "ui/experiment/experiment_model.h"
#include "ui/experiment/run_store.h"
#include "ui/experiment/sweep_meter.h"
#include "ui/experiment/sweep_session.h"
#include "ui/inspect/engine_turn.h"
#include "ui/rotary/rotary_model.h"
#include "ui/window/lab_document.h"
#include "ui/window/settings.h"

namespace ropelab::ui {

/// Where a workspace keeps things and what trains for it; tests give their own.
struct WorkspaceOptions {
    QString settingsFile;  // "": the user's
    QString labsFolder;    // "": the user's
    std::filesystem::path dataDir;
    Runner::EngineSource engine;  // empty: open_engine
};

/// Everything that rooms share, without a widget: the lab and its runs, the experiment to start next, the sweep that
/// trains, undo, settings. Its functions do what actions and buttons ask for; what goes wrong comes as problem().
class Workspace : public QObject {
    Q_OBJECT

 public:
    explicit Workspace(WorkspaceOptions options, QObject* parent = nullptr);
    ~Workspace() override;

    Settings& settings() { return m_settings; }
    LabDocument& lab() { return m_lab; }
    RunStore& runs() { return m_runs; }
    ExperimentModel& experiment() { return m_experiment; }
    SweepSession& session() { return m_session; }
    SweepMeter& meter() { return m_meter; }
    RotaryModel& rotary() { return m_rotary; }
    QUndoStack& undo() { return m_undo; }
    const std::filesystem::path& dataDir() const { return m_options.dataDir; }
    /// What trains; may be called on any thread.
    Runner::EngineSource engine() const { return m_turn.forTraining(); }
    /// Who has the engine: what trains, or what looks into a checkpoint.
    EngineTurn& engineTurn() { return m_turn; }

    /// Writes the experiment into the lab and trains it.
    void start();
    /// Goes on with runs that stopped.
    void continueRuns(const std::vector<RunId>& runs);
    /// Runs that continueRuns takes: those that had begun, then those that waited, in the order in which they did.
    std::vector<RunId> unfinishedRuns() const;
    /// Writes the experiment into the lab and lets it train when all that waits has; starts it where nothing trains.
    void enqueue();
    /// Takes a waiting cohort out of the queue. Runs that have not trained a step leave the lab (undo brings them
    /// back); others stay as stopped.
    void removeWaiting(std::int64_t cohort);
    /// Measures what the cohorts cost here; not while a sweep trains. Starting a sweep ends it.
    void measure(std::vector<std::vector<RunSpec>> cohorts);
    /// Space: start, pause or resume, whichever there is to do.
    void startOrPause();

    void renameRun(RunId id, const QString& name);
    void annotateRun(RunId id, const QString& note);
    void deleteRun(RunId id);

    // Each of these waits, without blocking, until a running sweep has stopped and is recorded.
    void newLab();
    void openLab(const QString& path);
    /// A sweep goes on afterwards, in the new file.
    void saveLabAs(const QString& path);
    /// Whether something trains, or the lab is being saved.
    bool isBusy() const;
    /// Calls `then` as soon as nothing does; stops the sweep if need be, and one that waits for a measurement to end
    /// does not begin.
    void whenIdle(std::function<void()> then);

    /// The lab without a name that the last window left, opened again. Returns whether there was one with runs.
    bool reopenUnsaved();

 signals:
    /// Something could not be done: an id for the message, and a sentence.
    void problem(const QString& id, const QString& sentence);
    /// An earlier problem of this id is over.
    void solved(const QString& id);
    void labSaved();
    /// The person wants to pick a model for the rotary setup.
    void modelsAsked();

 private:
    void train(Plan plan);
    void attempt(const QString& id, const std::function<void()>& work);
    /// Does what can be taken back.
    void change(const QString& text, std::function<void()> redo, std::function<void()> undo);
    void becameIdle();
    /// Throws BadInput where one of them trains.
    void deleteNow(const std::vector<RunId>& runs);
    /// Keeps a lab without a name, which another is about to replace, among the recent ones.
    void keepInSight();
    void sweepEnded(RunState how, const QString& message);
    void remember();
    void rememberQueue();
    void measureSpeed();

    WorkspaceOptions m_options;
    EngineTurn m_turn{m_options.engine ? m_options.engine : Runner::EngineSource(&open_engine)};
    Settings m_settings;
    QUndoStack m_undo;
    LabDocument m_lab;
    RunStore m_runs;
    ExperimentModel m_experiment;
    RotaryModel m_rotary{m_undo};
    std::vector<RunId> m_training;  // of the present or last sweep
    bool m_fromTheStart = true;     // none of them went on from a checkpoint
    std::vector<std::function<void()>> m_whenIdle;
    std::optional<Plan> m_afterMeter;  // starts when the measurement has ended
    // Last, so that their threads end first.
    SweepSession m_session;
    SweepMeter m_meter;
};

}  // namespace ropelab::ui
