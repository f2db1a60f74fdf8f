#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/experiment/control.h"
#include "core/experiment/runner.h"
#include "core/spec/device_trust.h"

namespace ropelab {

/// A planned run with the checkpoint it goes on from, if any, without its state.
struct TrainedRun {
    PlannedRun plan;
    std::optional<Checkpoint> checkpoint;
    RunSummary summary;
    /// Whether it is in a cohort that is not to be cut any more, and why, where there is something to tell
    /// (core/experiment/cohort_width.h).
    bool width_settled = false;
    std::string width_words = {};
    /// What the user is told of the CUDA device; empty where there is nothing to tell.
    std::string device_words = {};
    /// After its CUDA device failed: how often, what may be used there from now on, and the conditions that replace
    /// those it began under.
    int device_faults = 0;
    std::optional<DeviceTrust> device_trust = {};
    std::optional<RunConditions> moved = {};

    std::int64_t iteration() const { return checkpoint ? checkpoint->iteration : 0; }
    /// Those that it began under or is to begin under; nullopt where they are still to be settled.
    std::optional<RunConditions> conditions() const {
        if (moved) return moved;
        return checkpoint ? std::optional(checkpoint->conditions) : plan.conditions;
    }
    /// Whether two runs of equal shape can be members of one cohort: the same step, evaluated or not, under the same
    /// conditions.
    bool starts_like(const TrainedRun& other) const;
};

/// Reads the checkpoint of a run that is to go on. Throws BadInput where the file is there but unreadable.
TrainedRun prepare(const PlannedRun& run);

/// Trains one cohort from its start to its runs' endings, on the runner's thread.
class CohortTrainer {
 public:
    CohortTrainer(Engine& engine, const Plan& plan, const Runner::Sink& sink, Control& control);

    /// Publishes CohortStarted, then the runs' measurements and endings. Throws where the cohort cannot be made.
    void train(std::vector<TrainedRun> runs);

 private:
    void open(std::vector<TrainedRun> runs);
    void train_step();
    /// False where it was interrupted.
    bool evaluate();
    void sample();
    /// Shows every run its fixed probe batch, unless that has slowed training by too much so far.
    void probe();
    /// Answers what other threads asked for.
    void answer_probes();
    /// Of all runs; not where what was published so far is not on disk.
    void save_checkpoints();
    void save_checkpoint(std::size_t run);
    void end_run(std::size_t run, RunState state, const std::string& message);
    void stop_asked_runs();
    void pause_if_asked();
    /// Of this cohort alone.
    void publish_progress(bool now);
    void finish();

    Engine& engine_;
    const Plan& plan_;
    const Runner::Sink& sink_;
    Control& control_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::duration<double> paused_{0};  // does not count

    std::shared_ptr<const Corpus> corpus_;
    std::string vocabulary_;
    TextMark text_;
    std::vector<TrainedRun> runs_;  // in the cohort's order
    std::unique_ptr<Cohort> cohort_;
    std::int64_t first_iteration_ = 0;
    std::int64_t evaluated_ = -1;
    RunId sampled_ = 0;
    std::optional<ProbeRequest> probe_batch_;
    double step_seconds_ = 0;
    double probe_seconds_ = 0;
    double seconds_a_step_ = 0;  // a moving average
    std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace ropelab
