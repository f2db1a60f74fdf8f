#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/corpus.h"
#include "core/experiment/halving.h"
#include "core/spec/engine.h"
#include "core/spec/event.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// A run that a Runner trains.
struct PlannedRun {
    RunId id = 0;
    RunSpec spec;
    /// File of the run's checkpoint; empty for none. If `resume` is true and the file exists, the run resumes from it.
    std::filesystem::path checkpoint;
    bool resume = false;
    /// The conditions of the run's first start, if it resumes.
    std::optional<RunConditions> conditions;
    /// If true, the run is a cohort of its own, because its time is compared: runs of a cohort are timed together.
    bool alone = false;
    std::int64_t experiment = 0;  // number of the run's experiment in the lab; 0 without a lab
    /// Successive halving of the run's experiment. All its runs train in one cohort, which stops the worse half of the
    /// settings at each rung.
    std::optional<Halving> halving = std::nullopt;
};

/// Returns the precision of the experiment of a run; nullopt if there is none yet and `measured` is nullopt too.
using SettlePrecision = std::function<std::optional<ExperimentPrecision>(
    const PlannedRun&, const std::optional<ExperimentPrecision>& measured)>;

/// The runs that a Runner trains, and callbacks that store their data.
struct Plan {
    std::vector<PlannedRun> runs;
    std::filesystem::path data_dir;
    /// Called on the runner's thread when a run's corpus is open, before its first event; `begins` is true unless the
    /// run resumes from a checkpoint. If it throws, the run does not train.
    std::function<void(const PlannedRun&, const Corpus&, bool begins)> on_corpus;
    /// Called on the runner's thread when a run resumes from its checkpoint of step `iteration`: later measurements
    /// must be discarded, because these steps are trained again.
    std::function<void(RunId, std::int64_t iteration)> on_discard_after;
    /// Called on the runner's thread before a checkpoint is written. It must store all events published so far, so that
    /// the curves of a resumed run have no gap; if it returns false, no checkpoint is written.
    std::function<bool()> before_checkpoint;
    /// Settles the precision of an experiment's runs with precision=auto, so that all of them train alike, also in
    /// later sweeps and in other programs. Called on the runner's thread before a cohort of such runs begins, without
    /// `measured`, and again with the precision that the cohort has measured if none was settled before. Returns the
    /// precision in which the experiment trains. Empty: the first measurement of this sweep decides.
    SettlePrecision settle_precision = {};
};

/// Time and memory of a cohort on this machine, measured with a few training steps.
struct Measurement {
    std::size_t cohort = 0;  // index in the list of measured cohorts
    /// Predicted duration of the whole training in seconds: measured time per step, plus evaluations in proportion to
    /// their floating-point operations.
    double seconds = 0;
    /// Peak resident memory in bytes, engine included; 0 if the system does not report it or a CUDA device trains.
    std::int64_t bytes = 0;
    RunConditions conditions;
    /// Why the measurement failed; "" if it succeeded.
    std::string problem;
};

/// A cohort that waits in the queue, with an id that identifies it there.
struct WaitingCohort {
    std::int64_t id = 0;
    std::vector<RunId> runs;
    bool operator==(const WaitingCohort&) const = default;
};

/// Trains a plan's cohorts sequentially on a thread of its own and publishes Events. The sink is called on that thread,
/// in order; the last event is one SweepEnded. The destructor stops training and joins the thread.
///
///   window's thread:   start ── pause ── resume ── stop ─────────────── ~Runner (joins)
///   runner's thread:   CohortStarted Step… Evaluated Sampled … RunEnded … SweepEnded
class Runner {
 public:
    /// Receives the events of a sweep.
    using Sink = std::function<void(const Event&)>;
    /// Returns the engine that trains; called on the runner's thread.
    using EngineSource = std::function<Engine&()>;

    /// Creates an idle runner. `engine` is called on the runner's thread when the first cohort starts.
    Runner(EngineSource engine, Sink sink);
    ~Runner();

    /// Starts training a plan. Throws std::logic_error at a second call.
    void start(Plan plan);
    /// Starts measuring cohorts of equal shape with a few training steps each, instead of training a plan. `each` is
    /// called on the runner's thread once per cohort; SweepEnded is the only event. stop() ends the measurement between
    /// steps.
    void measure(std::vector<std::vector<RunSpec>> cohorts, std::filesystem::path data_dir,
                 std::function<void(const Measurement&)> each);

    /// Returns the cohorts that have not begun, in training order; empty before the first CohortStarted.
    std::vector<WaitingCohort> waiting() const;
    /// Moves a waiting cohort to index `place` of the queue. Returns false if it has begun in the meantime.
    bool move_waiting(std::int64_t cohort, std::size_t place);
    /// Removes a waiting cohort; its runs publish no events. Returns false if it has begun in the meantime.
    bool remove_waiting(std::int64_t cohort);
    /// Appends runs of the plan's lab to the end of the queue; runs that resume read their checkpoints. Returns false,
    /// and does nothing, if the sweep is ending or has ended. Throws BadInput for an unreadable checkpoint.
    bool append(const std::vector<PlannedRun>& runs);

    /// Pauses training at the next step, after writing checkpoints.
    void pause();
    /// Continues after pause().
    void resume();
    /// Stops training at the next step or inside an evaluation. Each unfinished run writes a checkpoint and ends as
    /// stopped.
    void stop();
    /// Stops one run at the next step; the other runs of its cohort continue.
    void stop_run(RunId id);
    /// Selects the run that generates a text sample at each evaluation, from the next step on; by default the first run
    /// of each cohort.
    void pick(RunId id);
    /// Requests measurements inside a run that is being trained or paused. They are made on the runner's thread at the
    /// next step. The future throws BadInput if the run is not being trained then or the request does not suit it.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);
    /// Blocks until the sweep has ended.
    void join();
    /// Returns whether the sweep has not ended.
    bool running() const;
    bool paused() const;

 private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace ropelab
