#include "core/experiment/runner.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "core/experiment/cohort_trainer.h"
#include "core/experiment/experiment.h"
#include "core/experiment/process_memory.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

// Cohorts as lists of indices into the plan: equal shapes that start from the same step under the same conditions.
std::vector<std::vector<std::size_t>> plan_cohorts(const Plan& plan, const std::vector<TrainedRun>& runs) {
    std::vector<RunSpec> specs;
    for (const PlannedRun& run : plan.runs) specs.push_back(run.spec);
    std::vector<std::vector<std::size_t>> cohorts;
    for (const auto& group : group_into_cohorts(specs)) {
        std::vector<std::vector<std::size_t>> parts;
        for (std::size_t index : group) {
            auto home = std::find_if(parts.begin(), parts.end(),
                                     [&](const auto& part) { return runs[part.front()].starts_like(runs[index]); });
            if (home == parts.end()) home = parts.insert(parts.end(), std::vector<std::size_t>{});
            home->push_back(index);
        }
        cohorts.insert(cohorts.end(), parts.begin(), parts.end());
    }
    return split_by_memory(cohorts, specs);
}

}  // namespace

// One sweep. `Control` is what the other threads may touch.
class Runner::Worker {
 public:
    Worker(EngineSource engine, Sink sink) : engine_(std::move(engine)), sink_(std::move(sink)) {}

    ~Worker() {
        control_.stop();
        join();
    }

    void start(Plan plan) {
        if (thread_.joinable()) throw std::logic_error("A Runner trains one plan.");
        running_ = true;
        thread_ = std::thread([this, plan = std::move(plan)] {
            train(plan);
            running_ = false;
        });
    }

    void join() {
        if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
    }

    Control& control() { return control_; }
    bool running() const { return running_; }

 private:
    void train(const Plan& plan) {
        event::SweepEnded ending;
        forget_peak();
        try {
            int failed = 0;
            std::string first_message;
            const auto watch = [&](const Event& published) {
                if (const auto* ended = std::get_if<event::RunEnded>(&published);
                    ended && ended->state == RunState::failed) {
                    if (failed++ == 0) first_message = ended->message;
                }
                sink_(published);
            };
            train_cohorts(plan, watch);
            if (failed > 0) {
                ending.state = RunState::failed;
                ending.message = failed == 1 && plan.runs.size() == 1
                                     ? first_message
                                     : std::to_string(failed) + " of " + std::to_string(plan.runs.size()) +
                                           " runs failed. " + first_message;
            } else if (control_.stopping()) {
                ending.state = RunState::stopped;
            }
        } catch (const std::exception& error) {
            ending = {RunState::failed, error.what(), 0};
        }
        const std::int64_t before = memory_before_engine() > 0 ? memory_before_engine() : level_;
        ending.peak_memory_bytes = std::max<std::int64_t>(0, process_memory().peak - before);
        sink_(ending);
    }

    void train_cohorts(const Plan& plan, const Sink& sink) {
        std::vector<TrainedRun> runs;
        for (const PlannedRun& run : plan.runs) runs.push_back(prepare(run));
        const auto cohorts = plan_cohorts(plan, runs);
        SweepClock clock(cohorts, runs);
        for (std::size_t i = 0; i < cohorts.size() && !control_.stopping(); ++i) {
            std::vector<TrainedRun> members;
            for (std::size_t index : cohorts[i]) members.push_back(std::move(runs[index]));
            clock.begin_cohort(i);
            try {
                if (i == 0) {
                    open_corpus(members.front().plan.spec, plan.data_dir);  // the text is not what training takes
                    level_ = process_memory().now;
                }
                CohortTrainer(engine_(), plan, sink, control_, clock).train(std::move(members));
            } catch (const std::exception& error) {
                // The cohort cannot start or go on; the runs that had not ended fail, the next cohort gets its turn.
                for (std::size_t index : cohorts[i]) {
                    if (!control_.ended(plan.runs[index].id)) {
                        sink(event::RunEnded{plan.runs[index].id, RunState::failed, error.what(), {}});
                    }
                }
            }
        }
    }

    EngineSource engine_;
    Sink sink_;
    Control control_;
    std::int64_t level_ = 0;  // of memory, before the first cohort
    std::atomic<bool> running_{false};
    std::thread thread_;
};

Runner::Runner(EngineSource engine, Sink sink)
    : worker_(std::make_unique<Worker>(std::move(engine), std::move(sink))) {}
Runner::~Runner() = default;

void Runner::start(Plan plan) {
    worker_->start(std::move(plan));
}
void Runner::pause() {
    worker_->control().pause(true);
}
void Runner::resume() {
    worker_->control().pause(false);
}
void Runner::stop() {
    worker_->control().stop();
}
void Runner::stop_run(RunId id) {
    worker_->control().stop_run(id);
}
void Runner::pick(RunId id) {
    worker_->control().pick(id);
}
void Runner::join() {
    worker_->join();
}
bool Runner::running() const {
    return worker_->running();
}
bool Runner::paused() const {
    return worker_->control().paused();
}

}  // namespace ropelab
