#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/corpus.h"
#include "core/experiment/measurement.h"
#include "core/spec/engine.h"
#include "core/spec/event.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// One run as it is handed to a Runner.
struct PlannedRun {
    RunId id = 0;
    RunSpec spec;
    /// Where its checkpoint is written; empty for none. A run goes on from a checkpoint that is there when `resume`.
    std::filesystem::path checkpoint;
    bool resume = false;
    /// Of its first start, when it goes on.
    std::optional<RunConditions> conditions;
    /// Trains as a cohort of its own, because its time is compared: runs of a cohort share one clock.
    bool alone = false;
};

struct Plan {
    std::vector<PlannedRun> runs;
    std::filesystem::path data_dir;
    /// Called on the runner's thread when a run's corpus is open, before its first event; `begins`: at its first step.
    /// What it throws keeps the run from training.
    std::function<void(const PlannedRun&, const Corpus&, bool begins)> on_corpus;
    /// Called on the runner's thread where a run goes on from its checkpoint: its measurements after `iteration` are
    /// void.
    std::function<void(RunId, std::int64_t iteration)> on_cut_back;
    /// Called on the runner's thread before a checkpoint is written: what was published so far must be on disk first,
    /// so that a run that goes on has no gap in its curves. False where it is not: no checkpoint is written then.
    std::function<bool()> before_checkpoint;
};

/// A cohort that waits for its turn, by a number of its own.
struct WaitingCohort {
    std::int64_t id = 0;
    std::vector<RunId> runs;
    bool operator==(const WaitingCohort&) const = default;
};

/// Trains a plan's cohorts one after another on a thread of its own and publishes Events. The sink is called on that
/// thread, in order; SweepEnded is the last event, exactly once. The destructor stops and joins.
///
///   window's thread:   start ── pause ── resume ── stop ─────────────── ~Runner (joins)
///   runner's thread:   CohortStarted Step… Evaluated Sampled … RunEnded … SweepEnded
class Runner {
 public:
    using Sink = std::function<void(const Event&)>;
    using EngineSource = std::function<Engine&()>;

    /// `engine` is called on the runner's thread, when the first cohort starts.
    Runner(EngineSource engine, Sink sink);
    ~Runner();

    void start(Plan plan);
    /// In place of start: trains nothing, but lets each of these cohorts of equal shape take a few steps. `each` is
    /// called on the runner's thread, once a cohort; SweepEnded is the only event. stop() ends it between two steps.
    void measure(std::vector<std::vector<RunSpec>> cohorts, std::filesystem::path data_dir,
                 std::function<void(const Measurement&)> each);

    /// Cohorts that have not begun, first to train first; none before the first CohortStarted.
    std::vector<WaitingCohort> waiting() const;
    /// Puts a waiting cohort at `place` among those that wait. False where it has begun meanwhile.
    bool move_waiting(std::int64_t cohort, std::size_t place);
    /// Takes a waiting cohort out: its runs will have no event. False where it has begun meanwhile.
    bool remove_waiting(std::int64_t cohort);
    /// More runs, in the plan's lab, behind all cohorts that wait. Reads the checkpoints of those that go on. False,
    /// and nothing happens, where the sweep is ending or has ended. Throws BadInput for an unreadable checkpoint.
    bool append(const std::vector<PlannedRun>& runs);

    /// At the next step; a paused run has a checkpoint.
    void pause();
    void resume();
    /// At the next step or inside an evaluation; each unfinished run is checkpointed and ends as stopped.
    void stop();
    /// Of one run, at the next step; its mates go on.
    void stop_run(RunId id);
    /// The run that writes a text sample at each evaluation, from the next step on; at first the first of each cohort.
    void pick(RunId id);
    /// Looks into a run that is being trained or paused, at the next step, on the runner's thread. The answer throws
    /// BadInput where the run is not being trained then or the request does not fit it.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);
    /// Blocks until the sweep has ended.
    void join();
    bool running() const;
    bool paused() const;

 private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace ropelab
