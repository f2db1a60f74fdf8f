#include "core/run/cohort_trainer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/forecast/cohort_width.h"
#include "core/forecast/estimate.h"
#include "core/machine/clock.h"
#include "core/run/kernel_choices.h"
#include "core/run/probing.h"

namespace ropelab {

namespace {

std::int64_t iterations_of(const std::vector<TrainedRun>& runs) {
    return runs.front().plan.spec.iterations;
}

// Read only when its cohort begins; otherwise a resumed sweep would hold the weights of all its runs in memory.
std::vector<NamedTensor> state_of(const TrainedRun& run) {
    const RunCheckpoint known{run.plan.checkpoint, run.plan.spec,  "", run.checkpoint->vocabulary, run.checkpoint->text,
                              run.iteration(),     run.iteration()};
    auto checkpoint = read_checkpoint(known);
    if (!checkpoint) {
        throw BadInput("The checkpoint " + run.plan.checkpoint.string() +
                       ", from which the run should resume, no longer exists.");
    }
    return std::move(checkpoint->state);
}

}  // namespace

CohortTrainer::CohortTrainer(Engine& engine, const Plan& plan, const EventSink& sink, Control& control)
    : engine_(engine), plan_(plan), sink_(sink), control_(control) {}

void CohortTrainer::train(std::vector<TrainedRun> runs, std::chrono::steady_clock::time_point began,
                          bool loaded_engine) {
    const std::int64_t members = std::ssize(runs);
    open(std::move(runs));
    count(TimedPart::start, began);
    while (!runs_.empty()) {
        const std::int64_t iteration = cohort_->iteration();
        const RunSpec& spec = runs_.front().plan.spec;
        const bool last = iteration >= spec.iterations;
        const bool evaluates = last || iteration % spec.evaluate_every == 0;
        const bool probes = probes_at(spec, iteration);
        if (evaluates && iteration != evaluated_) {
            if (evaluate(probes)) {
                if (probes) probe();
                sample();
                save_checkpoints();
            }
        } else if (sample_is_cut_ && iteration == evaluated_) {
            sample();
            save_checkpoints();
        } else if (probes && !evaluates) {
            probe();
        }
        answer_probes();
        pause_if_asked();
        if (control_.stopping()) {
            save_checkpoints();
            if (std::ssize(runs_) == members) store_times(loaded_engine, members, seconds_since(began));
            while (!runs_.empty()) end_run(0, RunState::stopped, "");
            return;
        }
        if (last) {
            const bool complete = std::ssize(runs_) == members;
            finish();
            if (complete) store_times(loaded_engine, members, seconds_since(began));
            return;
        }
        stop_at_rung();
        stop_asked_runs();
        if (!runs_.empty()) train_step();
    }
}

void CohortTrainer::count(TimedPart part, Clock::time_point begin) {
    part_seconds_[static_cast<std::size_t>(part)] += seconds_since(begin);
}

void CohortTrainer::store_times(bool loaded_engine, std::int64_t runs, double total) {
    store_kernel_choices(engine_);
    constexpr std::int64_t fewest_steps = 10;
    const std::int64_t end = cohort_->iteration();
    if (times_file().empty() || had_fault_ || end - first_iteration_ < fewest_steps) return;
    TimedCohort timed;
    timed.key = time_key(spec_, conditions_.device, conditions_.precision);
    timed.chose_precision = spec_.precision == Precision::automatic;
    const auto validation = static_cast<double>(corpus_->validation.size());
    timed.work = cohort_work(spec_, runs, first_iteration_, validation, loaded_engine);
    timed.seconds = part_seconds_;
    if (end < spec_.iterations) {
        const CohortWork left = cohort_work(spec_, runs, end, validation, loaded_engine);
        for (std::size_t part = 0; part < timed_part_count; ++part) {
            if (static_cast<TimedPart>(part) == TimedPart::start) continue;
            timed.work[part].calls -= left[part].calls;
            timed.work[part].items -= left[part].items;
            timed.work[part].operations -= left[part].operations;
        }
    }
    double others = 0;
    for (const double seconds : part_seconds_) others += seconds;
    // What is not measured apart, such as publishing events, happens once per step.
    timed.seconds[static_cast<std::size_t>(TimedPart::steps)] = std::max(0.0, total - others - apart_);
    store_time(timed);
}

void CohortTrainer::open(std::vector<TrainedRun> runs) {
    runs_ = std::move(runs);
    spec_ = runs_.front().plan.spec;
    had_fault_ = runs_.front().device_faults > 0;
    corpus_ = open_corpus(runs_.front().plan.spec, plan_.data_dir);
    vocabulary_ = corpus_->vocabulary.to_text();
    text_ = corpus_->text;
    text_.name = text_name(runs_.front().plan.spec);

    settle_precision(plan_, runs_);
    CohortStart start = start_of(runs_);
    start.iteration = runs_.front().iteration();
    for (TrainedRun& run : runs_) {
        if (run.checkpoint) {
            if (run.checkpoint->text) require_same_text(corpus_->text, *run.checkpoint->text);
            if (run.checkpoint->vocabulary != vocabulary_) {
                throw BadInput("The vocabulary of the data \"" + run.plan.spec.data +
                               "\" has changed since this run started, so the run cannot resume; restore the data or "
                               "the tokenizer file with which the run started.");
            }
            start.states.push_back(state_of(run));
        }
        run.summary.bytes_per_token = corpus_->bytes_per_token();
        run.summary.subwords = corpus_->vocabulary.subwords();
        if (plan_.on_corpus) plan_.on_corpus(run.plan, *corpus_, !run.checkpoint);
        if (run.plan.resume && plan_.on_discard_after)
            plan_.on_discard_after(run.plan.id, run.checkpoint ? run.iteration() : -1);
    }
    if (const auto& checkpoint = runs_.front().checkpoint) {
        evaluated_ = checkpoint->evaluated;
        sample_is_cut_ = checkpoint->sample_is_cut;
    }
    create_cohort(start);
    first_iteration_ = cohort_->iteration();

    event::CohortStarted started{
        {}, first_iteration_, iterations_of(runs_), cohort_->conditions(), corpus_->bytes_per_token()};
    for (const TrainedRun& run : runs_) started.runs.push_back(run.plan.id);
    conditions_ = started.conditions;
    std::string& reason = started.conditions.reason;
    const TrainedRun& first = runs_.front();
    for (const std::string& message : {first.width_message, first.device_message, first.halving_message}) {
        // The stored conditions of a resumed run already contain the messages of its first start.
        if (!message.empty() && reason.find(message) == std::string::npos) reason += " " + message;
    }
    sink_(started);
    publish_progress(true);
}

void CohortTrainer::create_cohort(CohortStart& start) {
    const bool measures = runs_.front().chooses_precision() && !runs_.front().settled_precision;
    load_kernel_choices(engine_);
    cohort_ = engine_.create_cohort(start, corpus_->token_data());
    if (!measures) return;
    const RunConditions conditions = cohort_->conditions();
    settle_precision(plan_, runs_, experiment_precision(conditions));
    const auto& settled = runs_.front().settled_precision;
    if (!settled || settled->precision == precision_of(conditions)) return;
    // Another program settled the precision of the experiment meanwhile.
    cohort_.reset();
    CohortStart again = start_of(runs_);
    again.iteration = start.iteration;
    again.states = std::move(start.states);
    cohort_ = engine_.create_cohort(again, corpus_->token_data());
}

void CohortTrainer::train_step() {
    const auto begin = Clock::now();
    if (probes_at(runs_.front().plan.spec, cohort_->iteration() + 1)) cohort_->measure_next_step();
    const std::vector<StepResult> results = cohort_->step();
    const double seconds = seconds_since(begin);
    step_seconds_ += seconds;
    seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.95 * seconds_per_step_ + 0.05 * seconds;

    const std::int64_t iteration = cohort_->iteration();
    const double now = seconds_since_1970();
    const double seconds_per_run = seconds / static_cast<double>(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        RunSummary& summary = runs_[i].summary;
        summary.iterations = iteration;
        summary.seconds += seconds_per_run;
        sink_(event::Step{runs_[i].plan.id, iteration, results[i].training_loss, results[i].gradient_norm,
                          results[i].learning_rate, now});
    }
    publish_progress(false);
    for (std::size_t i = runs_.size(); i-- > 0;) {
        if (std::isfinite(results[i].training_loss) && std::isfinite(results[i].gradient_norm)) continue;
        end_run(i, RunState::failed,
                "The loss is no longer a finite number at step " + std::to_string(iteration) +
                    "; a lower learning rate or a longer warm-up usually helps.");
    }
}

bool CohortTrainer::evaluate(bool probes) {
    const auto begin = Clock::now();
    // Without a step before or after it, an evaluation would look like a standstill.
    const bool is_shown = cohort_->iteration() == first_iteration_ || cohort_->iteration() == iterations_of(runs_);
    const auto cancelled = [&] {
        if (is_shown) publish_progress(false, "evaluating the models");
        // The probe after it needs measurements of the last step, which a resumed run does not have.
        return !probes && control_.stopping();
    };
    const std::int64_t runs = cohort_->runs();
    // The first values show a few runs at a time: all runs together would take seconds, with nothing to see.
    const bool is_first = cohort_->iteration() == 0 && conditions_.device == "cpu";
    std::int64_t together = is_first ? std::max<std::int64_t>(2, conditions_.threads) : runs;
    for (std::int64_t first = 0; first < runs; first += std::exchange(together, 2 * together)) {
        const auto results = cohort_->evaluate_runs(first, std::min(together, runs - first), cancelled);
        if (results.empty()) return count(TimedPart::evaluations, begin), false;
        for (std::size_t i = 0; i < results.size(); ++i) store(static_cast<std::size_t>(first) + i, results[i]);
    }
    evaluated_ = cohort_->iteration();
    count(TimedPart::evaluations, begin);
    return true;
}

void CohortTrainer::store(std::size_t run, const EvaluationResult& result) {
    const std::int64_t iteration = cohort_->iteration();
    RunSummary& summary = runs_[run].summary;
    summary.final_training_loss = result.training_loss;
    summary.final_validation_loss = result.validation_loss;
    if (improves(summary.best_validation_loss, result.validation_loss)) {
        summary.best_validation_loss = result.validation_loss;
        summary.best_iteration = iteration;
    }
    sink_(event::Evaluated{runs_[run].plan.id, iteration, result.training_loss, result.validation_loss,
                           seconds_since_1970()});
}

void CohortTrainer::sample() {
    const RunId picked = control_.picked();
    auto run = std::find_if(runs_.begin(), runs_.end(), [&](const TrainedRun& r) { return r.plan.id == picked; });
    if (run == runs_.end()) run = runs_.begin();
    sampled_ = picked;
    sample_is_cut_ = false;
    if (run->plan.spec.sample_length == 0) return;
    const auto begin = Clock::now();

    Generation generation;
    generation.length = run->plan.spec.sample_length;
    generation.temperature = 0.8;
    generation.seed = run->plan.spec.seed;
    generation.on_token = [&](std::int32_t) { return !control_.stopping(); };
    // After a newline, the most natural start, or the first token of the vocabulary.
    std::int32_t first = 0;
    for (std::int32_t token = 0; token < corpus_->vocabulary.size(); ++token) {
        if (corpus_->vocabulary.bytes_of(token) == "\n") first = token;
    }
    const std::vector<std::int32_t> prompt = {first};
    std::vector<std::int32_t> tokens;
    try {
        tokens = cohort_->model(run - runs_.begin())->generate(prompt, generation);
    } catch (const BadInput&) {
        return;  // the model has diverged, which its losses show
    }
    sample_is_cut_ = std::ssize(tokens) < generation.length;
    if (sample_is_cut_) return;  // the resumed run generates it again
    sink_(event::Sampled{run->plan.id, cohort_->iteration(), corpus_->vocabulary.decode(tokens)});
    count(TimedPart::samples, begin);
}

void CohortTrainer::probe() {
    const bool last = cohort_->iteration() >= iterations_of(runs_);
    if (!last && probes_are_expensive(probe_seconds_, step_seconds_)) return;
    const auto begin = Clock::now();
    // The last snapshot tests retrieval at more lags than the others, so that the batch is computed again.
    if (!probe_batch_ || last) probe_batch_ = snapshot_request(runs_.front().plan.spec, corpus_->validation, last);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        ProbeResult result = compacted(cohort_->probe(static_cast<std::int64_t>(i), *probe_batch_));
        sink_(event::Probed{runs_[i].plan.id, cohort_->iteration(),
                            std::make_shared<const ProbeResult>(std::move(result))});
    }
    probe_seconds_ += seconds_since(begin);
    count(TimedPart::probes, begin);
}

void CohortTrainer::answer_probes() {
    const auto begin = Clock::now();
    for (ProbeJob& job : control_.next_probes()) {
        const auto run = std::find_if(runs_.begin(), runs_.end(),
                                      [&](const TrainedRun& member) { return member.plan.id == job.run; });
        try {
            if (run == runs_.end()) {
                throw BadInput(
                    "Run " + std::to_string(job.run) +
                    " is not being trained now; evaluate its checkpoint instead, or wait until the run trains.");
            }
            job.answer.set_value(cohort_->probe(run - runs_.begin(), job.request));
        } catch (const std::exception&) {
            job.answer.set_exception(std::current_exception());
        }
    }
    apart_ += seconds_since(begin);
}

void CohortTrainer::save_checkpoints() {
    const auto begin = Clock::now();
    if (plan_.before_checkpoint && !plan_.before_checkpoint()) return;
    for (std::size_t i = 0; i < runs_.size(); ++i) save_checkpoint(i);
    count(TimedPart::checkpoints, begin);
}

void CohortTrainer::save_checkpoint(std::size_t run) {
    const TrainedRun& member = runs_[run];
    if (member.plan.checkpoint.empty()) return;
    write_checkpoint(member.plan.checkpoint,
                     {member.plan.spec, vocabulary_, cohort_->conditions(), cohort_->iteration(), evaluated_,
                      member.summary, cohort_->state(static_cast<std::int64_t>(run)), text_, sample_is_cut_});
}

void CohortTrainer::end_run(std::size_t run, RunState state, const std::string& message) {
    TrainedRun& member = runs_[run];
    RunSummary& summary = member.summary;
    const auto& spec = member.plan.spec;
    if (summary.seconds > 0) {
        summary.tokens_per_second =
            static_cast<double>(summary.iterations * spec.batch * spec.context) / summary.seconds;
    }
    control_.mark_ended(member.plan.id);
    sink_(event::RunEnded{member.plan.id, state, message, summary});
    cohort_->remove(static_cast<std::int64_t>(run));
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run));
}

void CohortTrainer::stop_asked_runs() {
    for (std::size_t i = runs_.size(); i-- > 0;) {
        if (!control_.stopping_run(runs_[i].plan.id)) continue;
        if (!plan_.before_checkpoint || plan_.before_checkpoint()) save_checkpoint(i);
        end_run(i, RunState::stopped, "");
    }
    // A run of this cohort that was picked since the last evaluation generates a sample immediately.
    const RunId picked = control_.picked();
    if (picked != sampled_ &&
        std::any_of(runs_.begin(), runs_.end(), [&](const auto& r) { return r.plan.id == picked; })) {
        sample();
    }
}

void CohortTrainer::stop_at_rung() {
    const Halving* halving = halving_in(runs_.front().plan.stopping);
    const std::int64_t iteration = cohort_->iteration();
    const int rung = halving ? rung_at(*halving, iteration, iterations_of(runs_)) : 0;
    if (rung == 0 || evaluated_ != iteration) return;
    std::vector<RungRun> at_rung;
    for (const TrainedRun& run : runs_) at_rung.push_back({run.plan.spec, run.summary.final_validation_loss});
    const std::vector<RungStop> stops = stops_at_rung(*halving, rung, iteration, at_rung);
    // The checkpoints of this evaluation are already written.
    for (auto stop = stops.rbegin(); stop != stops.rend(); ++stop) end_run(stop->run, RunState::stopped, stop->message);
}

void CohortTrainer::pause_if_asked() {
    if (!control_.paused() || control_.stopping()) return;
    save_checkpoints();
    const auto begin = Clock::now();
    const double before = apart_;
    publish_progress(true);
    while (control_.paused() && !control_.stopping()) {
        control_.wait_while_paused();
        answer_probes();
    }
    paused_ += Clock::now() - begin;
    apart_ = before + seconds_since(begin);  // without counting probes of the pause twice
    publish_progress(true);
}

void CohortTrainer::publish_progress(bool now, const std::string& phase) {
    if (!now && seconds_since(last_progress_) < 0.1) return;
    last_progress_ = Clock::now();
    event::Progress progress;
    progress.iteration = cohort_->iteration();
    progress.iterations = iterations_of(runs_);
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, progress.iterations - first_iteration_));
    progress.done = static_cast<double>(progress.iteration - first_iteration_) / steps;
    progress.seconds = seconds_since(began_) - paused_.count();
    const RunSpec& spec = runs_.front().plan.spec;
    const auto tokens = static_cast<double>(spec.batch * spec.context) * static_cast<double>(runs_.size());
    progress.tokens_per_second = seconds_per_step_ > 0 ? tokens / seconds_per_step_ : 0.0;
    progress.paused = control_.paused() && !control_.stopping();
    progress.phase = phase;
    sink_(progress);
}

void CohortTrainer::finish() {
    publish_progress(true);
    while (!runs_.empty()) {
        TrainedRun& run = runs_.front();
        const auto begin = Clock::now();
        run.summary.whole_validation_loss = run.plan.spec.evaluation == Evaluation::whole
                                                ? run.summary.final_validation_loss
                                                : cohort_->model(0)->whole_loss(corpus_->validation);
        if (!corpus_->test.empty()) run.summary.test_loss = cohort_->model(0)->whole_loss(corpus_->test);
        count(TimedPart::evaluations, begin);
        end_run(0, RunState::finished, "");
    }
}

}  // namespace ropelab
