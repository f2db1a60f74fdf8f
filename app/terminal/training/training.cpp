#include "app/terminal/training/training.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "app/terminal/output.h"
#include "core/base/numbers.h"
#include "core/forecast/estimate.h"
#include "core/machine/engine_loader.h"
#include "core/results/results_cells.h"
#include "core/run/device_choice.h"
#include "core/settings/run_names.h"
#include "core/store/lab_recorder.h"
#include "core/sweep/lab_plan.h"

namespace ropelab::terminal {

namespace {

struct Best {
    double validation_loss = std::nan("");
    std::string run;  // "" if only one run trains
};

std::string progress_text(const event::Progress& progress, const Best& best) {
    std::ostringstream text;
    text << "step " << progress.iteration << " / " << progress.iterations;
    if (progress.cohorts > 1) text << " (cohort " << progress.cohort << " of " << progress.cohorts << ")";
    if (progress.iteration < progress.iterations && std::isfinite(progress.seconds_left))
        text << "  " << duration_text(progress.seconds_left) << " left";
    if (progress.tokens_per_second > 0) text << "  " << std::lround(progress.tokens_per_second) << " tokens/s";
    if (std::isfinite(best.validation_loss)) {
        text << "  best validation loss " << fixed_text(best.validation_loss, 4)
             << (best.run.empty() ? "" : " (" + best.run + ")");
    }
    return text.str();
}

std::int64_t predicted_bytes(const Plan& plan) {
    std::vector<RunSpec> in_cohorts;
    std::int64_t alone = 0;
    for (const PlannedRun& planned : plan.runs) {
        if (planned.alone) {
            alone = std::max(alone, estimate({planned.spec}).bytes);
        } else {
            in_cohorts.push_back(planned.spec);
        }
    }
    return std::max(alone, estimate(in_cohorts).bytes);
}

}  // namespace

event::SweepEnded train(Plan plan, const std::filesystem::path& lab, std::map<RunId, Outcome>& outcomes,
                        Memory& memory) {
    for (const PlannedRun& planned : plan.runs) outcomes[planned.id].plan = planned;
    std::unique_ptr<LabRecorder> recorder;
    if (!lab.empty()) {
        recorder = std::make_unique<LabRecorder>(lab);
        connect(plan, lab, *recorder);
        const auto file = LabFile::open(lab, LabFile::Mode::read);
        const std::string not_trained = file->words_of(file->claimed_runs());
        if (!not_trained.empty() && !plan.runs.empty()) std::cerr << not_trained << std::endl;
    }
    event::SweepEnded ending;
    if (plan.runs.empty()) return ending;
    memory.predicted = predicted_bytes(plan);
    std::vector<RunSpec> specs;
    for (const PlannedRun& planned : plan.runs) specs.push_back(planned.spec);
    const std::vector<std::string> names = run_names(specs);
    std::map<RunId, std::string> shown;
    for (std::size_t i = 0; names.size() > 1 && i < names.size(); ++i) shown[plan.runs[i].id] = names[i];
    std::mutex mutex;
    ProgressLine line;
    Best best;
    std::optional<event::Progress> last;  // after the last step, which is shown once, with its evaluation
    const auto sink = [&](const Event& published) {
        const std::lock_guard lock(mutex);
        if (recorder) recorder->record(published);
        if (const auto* started = std::get_if<event::CohortStarted>(&published)) {
            for (RunId id : started->runs) outcomes[id].conditions = started->conditions;
            line.show(started->conditions.device + ", " + std::to_string(started->conditions.threads) + " threads, " +
                      started->conditions.reason);
        } else if (const auto* evaluated = std::get_if<event::Evaluated>(&published)) {
            if (evaluated->iteration > 0 && improves(best.validation_loss, evaluated->validation_loss))
                best = {evaluated->validation_loss, shown[evaluated->run]};
        } else if (const auto* progress = std::get_if<event::Progress>(&published)) {
            if (!progress->phase.empty()) return;  // a log, which gets a line every few seconds, shows the device first
            const std::string trouble = recorder ? recorder->trouble() : "";
            if (progress->iteration == progress->iterations && progress->cohort == progress->cohorts) {
                last = *progress;
                return;
            }
            line.show(trouble.empty() ? progress_text(*progress, best) : trouble);
        } else if (const auto* ended = std::get_if<event::RunEnded>(&published)) {
            Outcome& outcome = outcomes[ended->run];
            outcome.state = ended->state;
            outcome.message = ended->message;
            outcome.summary = ended->summary;
        } else if (const auto* end = std::get_if<event::SweepEnded>(&published)) {
            ending = *end;
        }
    };
    Runner runner(open_engine, sink);
    watch_interrupts();
    runner.start(std::move(plan));
    while (runner.running()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (interrupted() || (recorder && recorder->lost())) runner.stop();
    }
    runner.join();
    if (last) {
        line.end(progress_text(*last, best));
    } else {
        line.end();
    }
    if (const std::string error = recorder ? recorder->close() : ""; !error.empty()) throw std::runtime_error(error);
    memory.peak = ending.peak_memory_bytes;
    return ending;
}

}  // namespace ropelab::terminal
