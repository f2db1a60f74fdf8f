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
    /// Called on the runner's thread when a run's corpus is open, before its first event.
    std::function<void(RunId, const Vocabulary&)> on_vocabulary;
    /// Called on the runner's thread where a run goes on from its checkpoint: its measurements after `iteration` are
    /// void.
    std::function<void(RunId, std::int64_t iteration)> on_cut_back;
    /// Called on the runner's thread before a checkpoint is written: what was published so far must be on disk first,
    /// so that a run that goes on has no gap in its curves.
    std::function<void()> before_checkpoint;
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

/// Opens the engine's library: beside the program (../lib), or ROPELAB_ENGINE. Sets what OpenMP reads before it loads.
/// Throws std::runtime_error with one sentence where it is missing or does not load. Thread-safe; opened once.
Engine& open_engine();
/// Resident bytes of this program when open_engine was about to open the library; 0 before that.
std::int64_t memory_before_engine();
/// Where the engine's library is looked for, in order.
std::vector<std::filesystem::path> engine_paths();

/// What a sweep will cost on this machine.
struct Estimate {
    double seconds = 0;
    std::int64_t bytes = 0;       // resident at most, the engine included; with device=cuda the device's
    std::int64_t parameters = 0;  // of the largest run
    int runs = 0;
    int cohorts = 0;
};
/// From the operation counts and the speed that `operations_per_second` states (0: default_speed, until a sweep has
/// been measured): steps, evaluations, and the last evaluation, which reads the whole split. Texts are looked for in
/// `data_dir` too, for their length.
Estimate estimate(const std::vector<RunSpec>& runs, double operations_per_second = 0,
                  const std::filesystem::path& data_dir = {});
/// Floating-point operations of one training step of one run, forward and backward, evaluations spread over the steps.
/// Those count a third: they read many windows at once, and a processor is about three times as fast at that.
double operations_per_step(const RunSpec& spec);
/// What such a reading of `symbols` symbols counts.
double reading_operations(const RunSpec& spec, double symbols);
/// Symbols of a run's validation split where its text is there; else of the known set in full, or a rough guess.
std::int64_t likely_validation_symbols(const RunSpec& spec, const std::filesystem::path& data_dir = {});
/// Operations a second of this processor in training small models, overhead included: a cautious guess.
double default_speed();

}  // namespace ropelab
