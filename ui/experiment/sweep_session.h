#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/experiment/runner.h"
#include "core/store/lab_recorder.h"
#include "ui/experiment/event_queue.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

/// One sweep at a time, from the window's side: starts the runner, lets the recorder write its events down, and
/// delivers them to the window's thread at 30 Hz. The destructor stops and joins; what was measured is in the lab.
class SweepSession : public QObject {
    Q_OBJECT

 public:
    enum class State { idle, running, paused, stopping };

    explicit SweepSession(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepSession() override;

    /// Trains a plan whose runs are in `lab`. Throws BadInput where the lab cannot be written or another program trains
    /// one of the runs; not while one is running.
    void start(Plan plan, const std::filesystem::path& lab);
    void pause();
    void resume();
    /// Ends the sweep at the next step; ended() follows.
    void stop();
    void stopRun(RunId id);
    /// The run that writes a text sample at each evaluation.
    void pick(RunId id);
    /// Looks into a run in training, between two of its steps. Only while isTraining(id).
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);

    // The queue: cohorts of the sweep that have not begun, first to train first.
    std::vector<WaitingCohort> waiting() const;
    /// False where the cohort has begun meanwhile.
    bool moveWaiting(std::int64_t cohort, std::size_t place);
    bool removeWaiting(std::int64_t cohort);
    /// Adds runs of the same lab behind all that wait. False, and nothing happens, where the sweep is ending. Throws
    /// BadInput as start does.
    bool append(const std::vector<PlannedRun>& runs);

    State state() const { return m_state; }
    bool isActive() const { return m_state != State::idle; }
    /// Whether this run is part of the sweep and has not ended.
    bool isTraining(RunId id) const { return m_unfinished.contains(id); }
    /// The newest Progress of this sweep, and what it trains with.
    const std::optional<event::Progress>& progress() const { return m_progress; }
    const std::optional<RunConditions>& conditions() const { return m_conditions; }

 signals:
    /// A sweep began.
    void started();
    /// What came since the last delivery, in order.
    void delivered(const std::vector<ropelab::ui::Delivery>& deliveries);
    void stateChanged();
    /// Other cohorts wait than before, or in another order.
    void queueChanged();
    /// The sweep is over, everything is delivered and recorded: finished, failed (the message says why, also where the
    /// lab does not hold all of it) or stopped.
    void ended(ropelab::RunState how, const QString& message);
    /// The lab could not be written; the events are kept and tried again.
    void trouble(const QString& message);

 private:
    void drain();
    void finish(const event::SweepEnded& end);
    void setState(State state);

    Runner::EngineSource m_engine;
    State m_state = State::idle;
    std::set<RunId> m_unfinished;
    std::optional<event::Progress> m_progress;
    std::optional<RunConditions> m_conditions;
    QString m_trouble;
    QTimer m_timer;
    std::filesystem::path m_lab;
    std::shared_ptr<EventQueue> m_queue;
    std::unique_ptr<LabRecorder> m_recorder;
    std::unique_ptr<Runner> m_runner;  // its thread ends before them
    LatestJob m_closing;               // and this one's before that: it ends the recorder
};

}  // namespace ropelab::ui
