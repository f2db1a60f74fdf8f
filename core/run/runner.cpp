#include "core/run/runner.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <iterator>
#include <thread>

#include "core/base/error.h"
#include "core/contract/training_clock.h"
#include "core/forecast/cohort_width.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "core/forecast/time_model.h"
#include "core/machine/clock.h"
#include "core/machine/engine_loader.h"
#include "core/machine/process_memory.h"
#include "core/plan/step_cost.h"
#include "core/run/after_fault.h"
#include "core/run/cohort_queue.h"
#include "core/run/cohort_trainer.h"
#include "core/run/device_choice.h"
#include "core/store/process_mark.h"

namespace ropelab {

namespace {

// Median after the warm-up, so that disturbances do not count; 0 if cancelled before a step was counted.
double seconds_per_step(Cohort& cohort, std::int64_t iterations, const std::function<bool()>& cancelled) {
    constexpr double enough = 1.0;  // seconds
    const auto begin = Clock::now();
    const std::int64_t warm_up =
        std::min(timed_steps(cohort.conditions().device == "cuda").warm_up, std::max<std::int64_t>(1, iterations - 1));
    std::vector<double> taken;
    for (std::int64_t i = 0; i < warm_up && !cancelled(); ++i) {
        const auto warming = Clock::now();
        cohort.step();
        if (iterations == 1) taken.push_back(seconds_since(warming));
    }
    while (!cancelled() && cohort.iteration() < std::min<std::int64_t>(warm_up + 5, iterations) &&
           (taken.empty() || seconds_since(begin) < enough)) {
        const auto step = Clock::now();
        cohort.step();
        taken.push_back(seconds_since(step));
    }
    if (taken.empty()) return 0;
    const auto middle = taken.begin() + std::ssize(taken) / 2;
    std::nth_element(taken.begin(), middle, taken.end());
    return *middle;
}

/// Trains up to six steps, of which five count (on a CUDA device, which first captures a graph, up to ten, of which
/// five count; fewer after one second), and begins an evaluation to measure its memory. `memory_before`: resident bytes
/// without the engine. `cancelled` is called between steps. Throws BadInput if the cohort cannot be created.
Measurement measure_cohort(Engine& engine, const std::vector<RunSpec>& runs, const std::filesystem::path& data_dir,
                           std::int64_t memory_before, const std::function<bool()>& cancelled) {
    const RunSpec& spec = runs.front();
    const auto corpus = open_corpus(spec, data_dir);
    reset_peak_memory();
    CohortStart start;
    start.runs = runs;
    Measurement result;
    choose_device_trust(engine, spec, std::nullopt, {.cancelled = cancelled});
    {
        const auto cohort = engine.create_cohort(start, corpus->token_data());
        result.conditions = cohort->conditions();
        const double step = seconds_per_step(*cohort, spec.iterations, cancelled);
        int batches = 0;
        cohort->evaluate([&] { return ++batches > 2 || cancelled(); });
        const double with_evaluations = operations_per_step(spec) / training_operations(spec, likely_vocabulary(spec));
        result.seconds = step * with_evaluations * static_cast<double>(spec.iterations);
    }
    if (result.conditions.device == "cpu") {
        result.bytes = std::max<std::int64_t>(0, process_memory().peak - memory_before);
    }
    return result;
}

}  // namespace

// Others only use control() and queue(), which are thread-safe.
class Runner::Worker {
 public:
    Worker(EngineSource engine, Sink sink) : engine_(std::move(engine)), sink_(std::move(sink)) {}

    ~Worker() {
        control_.stop();
        join();
    }

    void start(Plan plan) {
        if (!plan.settle_precision) plan.settle_precision = settle_precision_in_memory();
        run([this, plan = std::move(plan)] { train(plan); });
    }

    void measure(std::vector<std::vector<RunSpec>> cohorts, std::filesystem::path data_dir,
                 std::function<void(const Measurement&)> each) {
        queue_.end();
        run([this, cohorts = std::move(cohorts), data_dir = std::move(data_dir), each = std::move(each)] {
            measure_cohorts(cohorts, data_dir, each);
        });
    }

    void join() {
        if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
    }

    Control& control() { return control_; }
    CohortQueue& queue() { return queue_; }
    bool running() const { return running_; }

 private:
    void run(std::function<void()> work) {
        if (thread_.joinable()) throw std::logic_error("A Runner object trains only one plan.");
        running_ = true;
        thread_ = std::thread([this, work = std::move(work)] {
            work();
            running_ = false;
        });
    }

    void measure_cohorts(const std::vector<std::vector<RunSpec>>& cohorts, const std::filesystem::path& data_dir,
                         const std::function<void(const Measurement&)>& each) {
        base_memory_ = process_memory().now;
        std::optional<Precision> settled;  // of precision=auto, as when the cohorts train
        for (std::size_t i = 0; i < cohorts.size() && !control_.stopping(); ++i) {
            Measurement measurement;
            try {
                Engine& engine = engine_();
                std::vector<RunSpec> runs = cohorts[i];
                const bool chooses = runs.front().precision == Precision::automatic;
                for (RunSpec& run : runs) run.precision = chooses ? settled.value_or(run.precision) : run.precision;
                measurement =
                    measure_cohort(engine, runs, data_dir, memory_before(), [this] { return control_.stopping(); });
                if (chooses) settled = precision_of(measurement.conditions);
            } catch (const std::exception& error) {
                measurement.problem = error.what();
                if (const auto* fault = dynamic_cast<const DeviceFault*>(&error)) distrust(*fault);
            }
            measurement.cohort = i;
            if (!control_.stopping()) each(measurement);
        }
        control_.end_probes();
        sink_(event::SweepEnded{control_.stopping() ? RunState::stopped : RunState::finished, "", 0});
    }

    // What prevents it is no reason to end the thread; the device is tested again before the next training.
    void distrust(const DeviceFault& fault) noexcept {
        try {
            revoke_device_trust(engine_(), fault.what(), fault.device_lost());
        } catch (const std::exception&) {
        }
    }

    // Resident bytes of the program without the engine.
    std::int64_t memory_before() const { return memory_before_engine() > 0 ? memory_before_engine() : base_memory_; }

    void train(const Plan& plan) {
        event::SweepEnded ending;
        const auto began = Clock::now();
        reset_peak_memory();
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
                ending.message = failed == 1 && queue_.runs() == 1
                                     ? first_message
                                     : std::to_string(failed) + " of " + std::to_string(queue_.runs()) +
                                           " runs failed. " + first_message;
            } else if (control_.stopping()) {
                ending.state = RunState::stopped;
            }
        } catch (const std::exception& error) {
            ending = {RunState::failed, error.what(), 0};
        }
        queue_.end();
        if (ending.state == RunState::finished && forecast_ > 0 && queue_.is_as_begun() && !control_.was_paused()) {
            store_time(Forecast{forecast_, seconds_since(began)});
        }
        ending.peak_memory_bytes = std::max<std::int64_t>(0, process_memory().peak - memory_before());
        control_.end_probes();
        sink_(ending);
    }

    // 0 if the engine is loaded.
    static double engine_seconds(const std::vector<TrainedRun>& runs) {
        if (memory_before_engine() > 0 || runs.empty()) return 0;
        const auto model = machine_time_model();
        return model->seconds(model->key_of(runs.front().plan.spec), TimedPart::start, {0, 1, 0});
    }

    // Before runs train in this cohort; published if they fail before another event.
    using Summaries = std::vector<std::pair<RunId, RunSummary>>;
    static Summaries summaries_of(const std::vector<TrainedRun>& runs) {
        Summaries summaries;
        for (const TrainedRun& run : runs) summaries.emplace_back(run.plan.id, run.summary);
        return summaries;
    }

    event::Progress phase_of(const std::vector<TrainedRun>& runs, const std::string& phase) const {
        event::Progress progress;
        progress.iteration = runs.front().iteration();
        progress.iterations = runs.front().plan.spec.iterations;
        progress.paused = control_.paused() && !control_.stopping();
        progress.phase = phase;
        return progress;
    }

    // A cohort that resumes has been timed before, on another clock, so it has none.
    static event::CohortStarted with_clock(const Plan& plan, event::CohortStarted started, const std::string& session,
                                           std::int64_t cohort) {
        const auto is_alone = [&](const PlannedRun& run) { return run.id == started.runs.front() && run.alone; };
        const bool in_random_order =
            started.runs.size() == 1 && std::any_of(plan.runs.begin(), plan.runs.end(), is_alone);
        started.conditions.clock =
            started.iteration > 0 ? "" : to_text(TrainingClock{session, cohort, in_random_order});
        return started;
    }

    void train_cohorts(const Plan& plan, const Sink& sink) {
        std::vector<TrainedRun> runs;
        for (const PlannedRun& run : plan.runs) runs.push_back(prepare(run));
        begin_halvings_together(runs);
        const auto fresh = [](const TrainedRun& run) { return run.iteration() == 0; };
        const bool complete = std::all_of(runs.begin(), runs.end(), fresh);
        const double loading = engine_seconds(runs);
        queue_.begin(std::move(runs));
        forecast_ = complete ? queue_.expected_seconds() + loading : 0;
        const std::string session = process_mark() + ' ' + std::to_string(std::time(nullptr));
        std::int64_t timed_cohorts = 0;
        const Sink of_sweep = [&](const Event& published) {
            if (const auto* started = std::get_if<event::CohortStarted>(&published)) {
                began_ = started->conditions;
                return sink(with_clock(plan, *started, session, ++timed_cohorts));
            }
            const auto* progress = std::get_if<event::Progress>(&published);
            if (!progress) return sink(published);
            event::Progress whole = *progress;
            queue_.fill(whole);
            sink(whole);
        };
        bool first = true;
        while (!control_.stopping()) {
            std::optional<std::vector<TrainedRun>> members = queue_.next();
            if (!members) return;
            Summaries unfinished = summaries_of(*members);
            try {
                if (first) {
                    // The data is loaded before memory is measured, because it does not count as training memory.
                    open_corpus(members->front().plan.spec, plan.data_dir);
                    base_memory_ = process_memory().now;
                }
                first = false;
                train_cohort(plan, of_sweep, std::move(*members), unfinished);
            } catch (const std::exception& error) {
                // The cohort cannot start or continue. Its runs that have not ended fail, and the next cohort trains.
                for (const auto& [id, summary] : unfinished) {
                    if (!control_.ended(id)) sink(event::RunEnded{id, RunState::failed, error.what(), summary});
                }
            }
        }
    }

    // If the CUDA device fails, its runs resume from checkpoints, without graphs, or on the CPU if it was lost or
    // failed again. `unfinished`: the runs that fail if this function throws.
    void train_cohort(const Plan& plan, const Sink& sink, std::vector<TrainedRun> runs, Summaries& unfinished) {
        std::vector<std::vector<TrainedRun>> cohorts;
        cohorts.push_back(std::move(runs));
        bool begun = false;
        auto began_at = Clock::now();
        const bool loads_engine = memory_before_engine() == 0;
        while (!cohorts.empty()) {
            std::vector<TrainedRun> members = std::move(cohorts.back());
            cohorts.pop_back();
            std::vector<TrainedRun> present = members;
            began_.reset();
            try {
                if (loads_engine && !begun) sink(phase_of(members, "loading the training engine"));
                settle_device(members);
                if (control_.stopping() && !begun) return;  // runs that have not begun stay waiting
                if (!begun) sink(phase_of(members, "preparing the models"));
                settle_width(plan, members);
                if (control_.stopping() && !begun) return;
                present = members;
                unfinished = summaries_of(present);
                for (const auto& others : cohorts) {
                    for (const auto& each : summaries_of(others)) unfinished.push_back(each);
                }
                CohortTrainer(engine_(), plan, sink, control_).train(std::move(members), began_at, loads_engine);
                began_at = Clock::now();
            } catch (const DeviceFault& fault) {
                begun = begun || began_;
                auto resumed = after_fault(fault, std::move(present));
                std::move(resumed.rbegin(), resumed.rend(), std::back_inserter(cohorts));
            }
        }
    }

    // Throws the fault if the runs had two before.
    std::vector<std::vector<TrainedRun>> after_fault(const DeviceFault& fault, std::vector<TrainedRun> runs) {
        const int faults = runs.front().device_faults + 1;
        if (faults > 2) throw fault;
        const bool to_cpu = fault.device_lost() || faults == 2;
        const std::string message = revoke_device_trust(engine_(), fault.what(), to_cpu);
        std::erase_if(runs, [this](const TrainedRun& run) { return control_.ended(run.plan.id); });
        return runs_after_fault(runs, began_, {to_cpu, message});
    }

    void settle_device(std::vector<TrainedRun>& members) {
        const TrainedRun& first = members.front();
        if (first.device_trust) return engine_().trust_device(*first.device_trust);
        const DeviceChoice choice = choose_device_trust(engine_(), first.plan.spec, first.conditions(),
                                                        {.cancelled = [this] { return control_.stopping(); }});
        for (TrainedRun& run : members) {
            run.device_message = choice.message;
            if (!choice.leaves_device) continue;
            run.moved = run.conditions();
            run.moved->device = "cpu";
            run.moved->graphs.clear();
        }
    }

    // Shortens `members` to the width, and puts the other runs at the front of the queue.
    void settle_width(const Plan& plan, std::vector<TrainedRun>& members) {
        if (members.front().width_settled) return;
        Engine& engine = engine_();
        const auto corpus = open_corpus(members.front().plan.spec, plan.data_dir);
        const auto choose = [&] {
            settle_precision(plan, members);
            CohortStart start = start_of(members);
            start.iteration = members.front().iteration();
            return choose_width(engine, start, corpus->token_data(),
                                [this] { return control_.stopping() || control_.paused(); });
        };
        CohortWidth width = choose();
        if (width.conditions && !members.front().settled_precision) {
            settle_precision(plan, members, experiment_precision(*width.conditions));
            const auto& settled = members.front().settled_precision;
            // Another program may have settled the precision of the experiment meanwhile.
            if (settled && settled->precision != precision_of(*width.conditions)) width = choose();
        }
        const bool resumes = members.front().conditions().has_value();
        for (TrainedRun& run : members) {
            run.width_settled = true;
            if (resumes) continue;  // a resumed run has the conditions and the message of its first start
            run.plan.conditions = width.conditions;
            run.width_message = width.message;
        }
        // Successive halving compares all runs of its cohort, so that it must not be split.
        const std::size_t widest = halving_in(members.front().plan.stopping) ? members.size() : width.runs;
        const auto sizes = equal_parts(members.size(), widest);
        std::vector<std::vector<TrainedRun>> parts = in_parts(std::move(members), sizes);
        members = std::move(parts.front());
        parts.erase(parts.begin());
        queue_.cut(members, std::move(parts));
    }

    EngineSource engine_;
    Sink sink_;
    Control control_;
    CohortQueue queue_;
    double forecast_ = 0;                 // expected seconds of the sweep; 0 if a part of it was trained before
    std::int64_t base_memory_ = 0;        // resident bytes before the first cohort
    std::optional<RunConditions> began_;  // conditions of the present cohort; nullopt before it begins
    std::atomic<bool> running_{false};
    std::thread thread_;
};

Runner::Runner(EngineSource engine, Sink sink)
    : worker_(std::make_unique<Worker>(std::move(engine), std::move(sink))) {}
Runner::~Runner() = default;

void Runner::start(Plan plan) {
    worker_->start(std::move(plan));
}
void Runner::measure(std::vector<std::vector<RunSpec>> cohorts, std::filesystem::path data_dir,
                     std::function<void(const Measurement&)> each) {
    worker_->measure(std::move(cohorts), std::move(data_dir), std::move(each));
}
std::vector<WaitingCohort> Runner::waiting() const {
    return worker_->queue().waiting();
}
bool Runner::move_waiting(std::int64_t cohort, std::size_t place) {
    return worker_->queue().move(cohort, place);
}
bool Runner::remove_waiting(std::int64_t cohort) {
    return worker_->queue().remove(cohort);
}
bool Runner::append(const std::vector<PlannedRun>& runs) {
    if (worker_->control().stopping()) return false;
    std::vector<TrainedRun> prepared;
    prepared.reserve(runs.size());
    for (const PlannedRun& run : runs) prepared.push_back(prepare(run));
    return worker_->queue().append(std::move(prepared));
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
std::future<ProbeResult> Runner::probe(RunId id, ProbeRequest request) {
    return worker_->control().probe(id, std::move(request));
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
