#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/trained_run.h"

namespace ropelab {

/// Measured with a few training steps on this machine.
struct Measurement {
    std::size_t cohort = 0;  // index in the list of measured cohorts
    /// Whole training: time per step, plus evaluations in proportion to their floating-point operations.
    double seconds = 0;
    /// Peak, engine included; 0 if the system does not report it or a CUDA device trains.
    std::int64_t bytes = 0;
    RunConditions conditions;
    /// "" if the measurement succeeded.
    std::string problem;
};

/// Trains a plan's cohorts sequentially on a thread of its own and publishes Events. The sink is called on that thread,
/// in order; the last event is one SweepEnded. The destructor stops training and joins the thread.
///
///   window's thread:   start ── pause ── resume ── stop ─────────────── ~Runner (joins)
///   runner's thread:   CohortStarted Step… Evaluated Sampled … RunEnded … SweepEnded
class Runner {
 public:
    using Sink = EventSink;
    /// Called on the runner's thread.
    using EngineSource = std::function<Engine&()>;

    /// Idle. `engine` is called on the runner's thread when the first cohort starts.
    Runner(EngineSource engine, Sink sink);
    ~Runner();

    /// Throws std::logic_error at a second call.
    void start(Plan plan);
    /// Instead of start(): a few training steps of each cohort. `each` is called on the runner's thread once per
    /// cohort; SweepEnded is the only event. stop() ends the measurement between steps.
    void measure(std::vector<std::vector<RunSpec>> cohorts, std::filesystem::path data_dir,
                 std::function<void(const Measurement&)> each);

    /// In training order; empty before the first CohortStarted.
    std::vector<WaitingCohort> waiting() const;
    /// Returns false if the cohort has begun in the meantime.
    bool move_waiting(std::int64_t cohort, std::size_t place);
    /// Its runs publish no events. Returns false if the cohort has begun in the meantime.
    bool remove_waiting(std::int64_t cohort);
    /// Runs of the plan's lab; those that resume read their checkpoints. Returns false, and does nothing, if the sweep
    /// is ending or has ended. Throws BadInput for an unreadable checkpoint.
    bool append(const std::vector<PlannedRun>& runs);

    /// At the next step, after writing checkpoints.
    void pause();
    void resume();
    /// At the next step or inside an evaluation. Each unfinished run writes a checkpoint and ends as stopped.
    void stop();
    /// At the next step; the other runs of its cohort continue.
    void stop_run(RunId id);
    /// Generates a text sample at each evaluation, from the next step on; by default the first run of each cohort.
    void pick(RunId id);
    /// At the next step. The future throws BadInput if the run is not being trained then or the request does not suit
    /// it.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);
    void join();
    bool running() const;
    bool paused() const;

 private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace ropelab
