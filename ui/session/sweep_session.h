#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "core/contract/event.h"
#include "core/run/runner.h"
#include "core/store/lab_recorder.h"
#include "ui/common/latest_job.h"

namespace ropelab::ui {

/// A run resumes from its checkpoint at `iteration`: everything measured after that step is discarded.
struct DiscardAfter {
    RunId run = 0;
    std::int64_t iteration = 0;
};

/// From the training thread to the GUI thread.
using Delivery = std::variant<Event, DiscardAfter>;

/// Thread-safe queue of messages from the training thread to the GUI thread.
///
///   training thread:  push push push ──────────── push ──────
///                       │ hint (once)               │ hint
///   GUI thread:         └─ 33 ms ─ drain: all three └─ 33 ms ─ drain
///
/// The training thread never waits for more than a swap of two vectors, and it calls `hint` at most once between two
/// calls of drain().
class EventQueue {
 public:
    /// The training thread calls `hint` when a message enters an empty queue; it must not block, but may post an event.
    explicit EventQueue(std::function<void()> hint) : m_hint(std::move(hint)) {}

    /// Called on the training thread.
    void push(Delivery delivery) {
        bool first = false;
        {
            const std::lock_guard lock(m_mutex);
            first = m_items.empty();
            m_items.push_back(std::move(delivery));
        }
        if (first) m_hint();
    }

    /// Messages since the last call, oldest first.
    std::vector<Delivery> drain() {
        std::vector<Delivery> result;
        const std::lock_guard lock(m_mutex);
        result.swap(m_items);
        return result;
    }

 private:
    std::function<void()> m_hint;
    std::mutex m_mutex;
    std::vector<Delivery> m_items;
};

/// Works on a background thread. Not while a sweep trains: only one thread at a time may call the engine.
class SweepMeter : public QObject {
    Q_OBJECT

 public:
    explicit SweepMeter(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepMeter() override;

    /// Emits measured() for each cohort, then ended(). Must not be called while a measurement is active.
    void measure(std::vector<std::vector<RunSpec>> cohorts, const std::filesystem::path& dataDir);
    /// Stops after the current step; ended() follows.
    void stop() {
        if (m_runner) m_runner->stop();
    }
    bool isActive() const { return m_runner != nullptr; }

 signals:
    void started();
    void measured(const ropelab::Measurement& measurement);
    /// All cohorts are measured or stop() was called.
    void ended();

 private:
    Runner::EngineSource m_engine;
    std::unique_ptr<Runner> m_runner;
};

/// One sweep at a time: starts the runner, records its events in the lab, and delivers them to the GUI thread at 30 Hz.
/// The destructor stops the sweep and waits for its thread; all events up to then are in the lab.
class SweepSession : public QObject {
    Q_OBJECT

 public:
    enum class State { idle, running, paused, stopping };

    explicit SweepSession(Runner::EngineSource engine, QObject* parent = nullptr);
    ~SweepSession() override;

    /// Throws BadInput if the lab cannot be written or a run trains elsewhere. Must not be called while a sweep is
    /// active.
    void start(Plan plan, const std::filesystem::path& lab);
    /// After the current step.
    void pause();
    void resume();
    /// After the current step; ended() follows.
    void stop();
    /// After the current step; the other runs of its cohort continue.
    void stopRun(RunId id) {
        if (isActive() && isTraining(id)) m_runner->stop_run(id);
    }
    /// The run generates a text sample at each evaluation.
    void pick(RunId id) {
        if (isActive() && isTraining(id)) m_runner->pick(id);
    }
    /// Evaluates a run between two of its steps. Requires isTraining(id).
    std::future<ProbeResult> probe(RunId id, ProbeRequest request) { return m_runner->probe(id, std::move(request)); }

    /// Cohorts of the sweep that have not started, in the order in which they will train.
    std::vector<WaitingCohort> waiting() const { return m_runner ? m_runner->waiting() : std::vector<WaitingCohort>(); }
    /// `place` is an index of the queue. Returns false if the cohort has already started.
    bool moveWaiting(std::int64_t cohort, std::size_t place);
    /// Returns false if the cohort has already started.
    bool removeWaiting(std::int64_t cohort);
    /// Returns false and changes nothing if the sweep is ending. Throws BadInput in the same cases as start().
    bool append(const std::vector<PlannedRun>& runs);

    State state() const { return m_state; }
    bool isActive() const { return m_state != State::idle; }
    /// The run is part of the active sweep and has not ended.
    bool isTraining(RunId id) const { return m_unfinished.contains(id); }
    const std::optional<event::Progress>& progress() const { return m_progress; }
    /// Conditions of the current cohort, such as device and precision.
    const std::optional<RunConditions>& conditions() const { return m_conditions; }

 signals:
    void started();
    /// Messages since the last delivery, oldest first.
    void delivered(const std::vector<ropelab::ui::Delivery>& deliveries);
    void stateChanged();
    void queueChanged();
    /// All events are delivered and recorded. `message` says why the sweep failed or events could not be stored.
    void ended(ropelab::RunState how, const QString& message);
    /// The lab could not be written, and why. The events stay in memory and writing is retried; "" if it succeeded.
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
    std::unique_ptr<Runner> m_runner;  // destroyed before m_recorder and m_queue, which its thread uses
    LatestJob m_closing;               // destroyed before m_runner; closes m_recorder
};

}  // namespace ropelab::ui
