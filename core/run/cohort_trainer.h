#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/forecast/time_model.h"
#include "core/run/checkpoint.h"
#include "core/run/control.h"
#include "core/run/runner.h"
#include "core/spec/device_trust.h"

namespace ropelab {

/// A planned run with the checkpoint from which it resumes, if any, without the checkpoint's tensors.
struct TrainedRun {
    PlannedRun plan;
    std::optional<Checkpoint> checkpoint;
    RunSummary summary;
    /// True once the width of the run's cohort is chosen, so that the cohort is not split again
    /// (core/forecast/cohort_width.h).
    bool width_settled = false;
    std::string width_message = {};   // the explanation of that width for the user; may be empty
    std::string device_message = {};  // a message about the CUDA device for the user; may be empty
    int device_faults = 0;            // how often the run's CUDA device failed
    /// What may be used on the CUDA device after it failed; nullopt if it did not fail.
    std::optional<DeviceTrust> device_trust = {};
    /// The conditions that replace the original ones after the device failed or is no longer trusted.
    std::optional<RunConditions> moved = {};
    /// The precision of the run's experiment, which replaces precision=auto; nullopt before it is settled.
    std::optional<ExperimentPrecision> settled_precision = {};

    /// Returns the step from which the run starts or resumes.
    std::int64_t iteration() const { return checkpoint ? checkpoint->iteration : 0; }
    /// Returns the conditions of the run's first start or those planned for it; nullopt if they are not chosen yet.
    std::optional<RunConditions> conditions() const {
        if (moved) return moved;
        return checkpoint ? std::optional(checkpoint->conditions) : plan.conditions;
    }
    /// Returns whether the run begins with precision=auto, so that its experiment decides on the precision.
    bool chooses_precision() const { return plan.spec.precision == Precision::automatic && !conditions(); }
    /// Returns whether two runs of equal shape can train in one cohort: both start at the same step, with the same last
    /// evaluation, under the same conditions. Runs that choose a precision must be of one experiment.
    bool starts_like(const TrainedRun& other) const;
};

/// Returns the settings of a cohort's runs, with the settled precision of their experiment, and its reason. States and
/// step are not set.
CohortStart start_of(const std::vector<TrainedRun>& runs);
/// Asks the plan for the precision of runs that choose one, and stores it in them. `measured` is the precision that
/// their cohort has measured, if it has.
void settle_precision(const Plan& plan, std::vector<TrainedRun>& runs,
                      const std::optional<ExperimentPrecision>& measured = std::nullopt);
/// Returns a function for Plan::settle_precision by which the first measurement of each experiment decides.
SettlePrecision settle_precision_in_memory();

/// Reads the checkpoint of a run that is to resume. Throws BadInput if the file exists but cannot be read.
TrainedRun prepare(const PlannedRun& run);

/// Trains one cohort until all its runs have ended, on the runner's thread.
class CohortTrainer {
 public:
    /// Creates a trainer. The references must stay valid while it is used.
    CohortTrainer(Engine& engine, const Plan& plan, const Runner::Sink& sink, Control& control);

    /// Publishes CohortStarted, then the measurements of the runs and their RunEnded events. `began`: when the runner
    /// took up the cohort. `loaded_engine`: whether it loaded the engine for it. If all runs trained undisturbed,
    /// stores the measured times (time_records.h). Throws if the cohort cannot be created.
    void train(std::vector<TrainedRun> runs, std::chrono::steady_clock::time_point began, bool loaded_engine);

 private:
    void open(std::vector<TrainedRun> runs);
    /// Creates the cohort in the precision of its experiment, and settles that precision if it is the first.
    void create_cohort(CohortStart& start);
    void train_step();
    /// Evaluates all runs; returns false if it was interrupted.
    bool evaluate();
    /// Generates and publishes a text sample of the picked run.
    void sample();
    /// Evaluates every run on the fixed probe batch and publishes the results, unless probing has taken too much time.
    void probe();
    /// Answers the probe requests of other threads.
    void answer_probes();
    /// Writes the checkpoints of all runs, unless `before_checkpoint` reports that earlier events are not on disk.
    void save_checkpoints();
    void save_checkpoint(std::size_t run);
    void end_run(std::size_t run, RunState state, const std::string& message);
    void stop_asked_runs();
    /// Stops the worse half of the settings if successive halving has a rung at this iteration.
    void stop_at_rung();
    void pause_if_asked();
    /// Publishes the progress of this cohort. Without `now`, at most ten times per second.
    void publish_progress(bool now);
    void finish();
    /// Adds the time since `begin` to a part.
    void count(TimedPart part, std::chrono::steady_clock::time_point begin);
    void store_times(bool loaded_engine, std::int64_t runs, double total);

    Engine& engine_;
    const Plan& plan_;
    const Runner::Sink& sink_;
    Control& control_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::duration<double> paused_{0};  // not part of the training time

    std::shared_ptr<const Corpus> corpus_;
    std::string vocabulary_;
    TextMark text_;
    std::vector<TrainedRun> runs_;  // in the cohort's order
    RunSpec spec_;                  // of the first run when the cohort began
    RunConditions conditions_;      // of the cohort
    std::unique_ptr<Cohort> cohort_;
    std::int64_t first_iteration_ = 0;
    std::int64_t evaluated_ = -1;
    RunId sampled_ = 0;
    std::optional<ProbeRequest> probe_batch_;
    double step_seconds_ = 0;
    PartSeconds part_seconds_{};
    bool disturbed_ = false;  // paused, stopped, asked for probes, or resumed: the times are not those of the estimate
    double probe_seconds_ = 0;
    double seconds_per_step_ = 0;  // exponential moving average
    std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace ropelab
