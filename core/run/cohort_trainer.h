#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/forecast/time_model.h"
#include "core/run/trained_run.h"

namespace ropelab {

struct ProbeJob {
    RunId run = 0;
    ProbeRequest request;
    std::promise<ProbeResult> answer;
};

/// Thread-safe.
class Control {
 public:
    void stop() {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    void pause(bool paused) {
        const std::lock_guard lock(mutex_);
        paused_ = paused;
        was_paused_ = was_paused_ || paused;
        changed_.notify_all();
    }
    void stop_run(RunId id) {
        const std::lock_guard lock(mutex_);
        stopping_runs_.insert(id);
    }
    void pick(RunId id) { picked_ = id; }
    /// The future throws BadInput if the run is not being trained.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request) {
        std::future<ProbeResult> result;
        {
            const std::lock_guard lock(mutex_);
            ProbeJob& job = probes_.emplace_back(ProbeJob{id, std::move(request), {}});
            result = job.answer.get_future();
            changed_.notify_all();
            if (!probes_ended_) return result;
        }
        end_probes();
        return result;
    }

    bool stopping() const { return stopping_; }
    bool paused() const { return paused_; }
    bool was_paused() const { return was_paused_; }
    bool stopping_run(RunId id) const {
        const std::lock_guard lock(mutex_);
        return stopping_runs_.contains(id);
    }
    /// 0 if none was picked.
    RunId picked() const { return picked_; }
    /// Returns early when the sweep is stopped or a probe is requested.
    void wait_while_paused() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !paused_ || stopping_ || !probes_.empty(); });
    }
    std::vector<ProbeJob> next_probes() {
        const std::lock_guard lock(mutex_);
        return std::exchange(probes_, {});
    }
    /// Pending and future requests get BadInput, because training has ended.
    void end_probes() {
        std::vector<ProbeJob> left;
        {
            const std::lock_guard lock(mutex_);
            probes_ended_ = true;
            left = std::exchange(probes_, {});
        }
        for (ProbeJob& job : left) {
            job.answer.set_exception(std::make_exception_ptr(BadInput(
                "Run " + std::to_string(job.run) + " is not being trained; evaluate its checkpoint instead.")));
        }
    }

    void mark_ended(RunId id) {
        const std::lock_guard lock(mutex_);
        ended_.insert(id);
    }
    bool ended(RunId id) const {
        const std::lock_guard lock(mutex_);
        return ended_.contains(id);
    }

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Changed with the mutex, where a thread may wait for the change.
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> paused_ = false;
    std::atomic<bool> was_paused_ = false;
    std::atomic<RunId> picked_ = 0;
    std::set<RunId> stopping_runs_;
    std::set<RunId> ended_;
    std::vector<ProbeJob> probes_;
    bool probes_ended_ = false;
};

/// On the runner's thread, until all runs of a cohort have ended.
class CohortTrainer {
 public:
    /// The references must stay valid.
    CohortTrainer(Engine& engine, const Plan& plan, const EventSink& sink, Control& control);

    /// `began`: when the runner took up the cohort. `loaded_engine`: whether it loaded the engine for it. If all runs
    /// trained undisturbed, stores the measured times (time_records.h). Throws if the cohort cannot be created.
    void train(std::vector<TrainedRun> runs, std::chrono::steady_clock::time_point began, bool loaded_engine);

 private:
    void open(std::vector<TrainedRun> runs);
    /// In the precision of its experiment, which it settles if it is the first.
    void create_cohort(CohortStart& start);
    void train_step();
    /// False if it was interrupted.
    bool evaluate(bool probes);
    void store(std::size_t run, const EvaluationResult& result);
    /// Publishes whole samples only.
    void sample();
    /// Skipped if probing has taken too much time.
    void probe();
    void answer_probes();
    /// Skipped if `before_checkpoint` reports that earlier events are not on disk.
    void save_checkpoints();
    void save_checkpoint(std::size_t run);
    void end_run(std::size_t run, RunState state, const std::string& message);
    void stop_asked_runs();
    void stop_at_rung();
    void pause_if_asked();
    /// Without `now`, at most ten times per second.
    void publish_progress(bool now, const std::string& phase = "");
    void finish();
    void count(TimedPart part, std::chrono::steady_clock::time_point begin);
    void store_times(bool loaded_engine, std::int64_t runs, double total);

    Engine& engine_;
    const Plan& plan_;
    const EventSink& sink_;
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
    bool sample_is_cut_ = false;  // by a stop, so that the sample of the last evaluation is not stored
    RunId sampled_ = 0;
    std::optional<ProbeRequest> probe_batch_;
    double step_seconds_ = 0;
    PartSeconds part_seconds_{};
    double apart_ = 0;        // seconds of pauses and of asked probes, which no estimate contains
    bool had_fault_ = false;  // of the device: the times are not those of the estimate
    double probe_seconds_ = 0;
    double seconds_per_step_ = 0;  // exponential moving average
    std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace ropelab
