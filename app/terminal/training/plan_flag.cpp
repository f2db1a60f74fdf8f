#include "app/terminal/training/plan_flag.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/training/training.h"
#include "core/data/corpus.h"
#include "core/data/known_sets.h"
#include "core/experiment/experiment.h"
#include "core/forecast/time_model.h"
#include "core/machine/engine_loader.h"
#include "core/spec/numbers.h"
#include "core/spec/run_names.h"
#include "core/sweep/preview.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

void measure_here(Preview& plan, const std::filesystem::path& data_dir) {
    ProgressLine line;
    const auto cohorts = plan.cohort_runs();
    std::mutex mutex;
    Runner runner(open_engine, [](const Event&) {});
    watch_interrupts();
    runner.measure(cohorts, data_dir, [&](const Measurement& measurement) {
        const std::lock_guard lock(mutex);
        plan.take(measurement);
        line.show("measured " + std::to_string(measurement.cohort + 1) + " of " + std::to_string(cohorts.size()) +
                  " cohorts");
    });
    while (runner.running()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (interrupted()) runner.stop();
    }
    runner.join();
    line.end();
    if (interrupted()) throw std::runtime_error("Interrupted before every cohort was measured.");
}

// Throws BadInput for data that training would reject. Known data sets that are not downloaded yet are allowed, because
// their plan is useful before the download.
void check_data(const Preview& plan, const std::filesystem::path& data_dir) {
    for (const RunSpec& run : plan.runs) {
        const KnownSet* set = find_known_set(run.data);
        if (set == nullptr || find_on_disk(*set, data_dir)) open_corpus(run, data_dir);
    }
}

// Scales the time of each cohort to the iterations that its runs have left.
void leave_out_trained(Preview& plan, const std::vector<std::int64_t>& from) {
    for (PreviewedCohort& cohort : plan.cohorts) {
        double all = 0;
        double left = 0;
        for (const std::size_t run : cohort.runs) {
            all += static_cast<double>(plan.runs[run].iterations);
            left += static_cast<double>(plan.runs[run].iterations - from[run]);
        }
        if (all > 0) cohort.cost.seconds *= left / all;
    }
}

std::string value_text(const RunSpec& run, const std::string& name) {
    return to_text(key(name).get(run));
}

nlohmann::json same_models_json(const Preview& plan) {
    nlohmann::json repeats = nlohmann::json::array();
    for (std::size_t i = 0; i < plan.same.runs.size(); ++i) {
        repeats.push_back({{"run", plan.same.runs[i]}, {"as", plan.same.as_first[i]}});
    }
    return {{"runs", repeats}, {"exclude", plan.same.exclusions}, {"words", words_of(plan.same, plan.runs)}};
}

nlohmann::json json_of(const Preview& plan) {
    nlohmann::json runs = nlohmann::json::array();
    const std::vector<std::string> names = run_names(plan.runs);
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        nlohmann::json entry = to_json(plan.runs[i]);
        entry["label"] = names[i];
        runs.push_back(std::move(entry));
    }
    nlohmann::json cohorts = nlohmann::json::array();
    for (std::size_t i = 0; i < plan.cohorts.size(); ++i) {
        const PreviewedCohort& cohort = plan.cohorts[i];
        for (const std::size_t run : cohort.runs) runs[run]["cohort"] = i;
        cohorts.push_back({{"cohort", i},
                           {"runs", cohort.runs},
                           {"seconds", cohort.cost.seconds},
                           {"memory_bytes", cohort.cost.bytes},
                           {"parameters", cohort.cost.parameters},
                           {"measured", cohort.measured}});
        if (!cohort.width.empty()) cohorts.back()["width"] = cohort.width;
        if (!cohort.problem.empty()) cohorts.back()["message"] = cohort.problem;
    }
    return {{"runs", runs},
            {"differing", plan.differing},
            {"cohorts", cohorts},
            {"seconds", plan.seconds()},
            {"memory_bytes", plan.bytes()},
            {"measured", plan.measured()},
            {"missing", plan.missing},
            {"same_models", same_models_json(plan)}};
}

std::string cost_text(double seconds, std::int64_t bytes, bool measured) {
    return "about " + (measured ? duration_text(seconds) : expected_duration(seconds)) + ", " + bytes_text(bytes) +
           (measured ? " (measured)" : " (estimated)");
}

std::string text_of(const Preview& plan) {
    std::string text;
    for (std::size_t i = 0; i < plan.cohorts.size(); ++i) {
        const PreviewedCohort& cohort = plan.cohorts[i];
        text += "Cohort " + std::to_string(i) + ": " + counted(cohort.runs.size(), "run") + ", " +
                cost_text(cohort.cost.seconds, cohort.cost.bytes, cohort.measured) + '\n';
        if (!cohort.width.empty()) text += "  " + cohort.width + '\n';
        if (!cohort.problem.empty()) text += "  This cohort could not be measured: " + cohort.problem + '\n';
        if (plan.differing.empty()) continue;
        // One column per setting that differs between any two runs of the plan.
        std::vector<std::vector<std::string>> rows = {plan.differing};
        for (const std::size_t run : cohort.runs) {
            for (std::vector<std::string>& cells = rows.emplace_back(); const std::string& name : plan.differing) {
                cells.push_back(value_text(plan.runs[run], name));
            }
        }
        for (std::vector<std::string>& cells : rows) cells.insert(cells.begin(), " ");  // indents the lines
        text += aligned_text(rows);
    }
    text += counted(plan.runs.size(), "run") + " in " + counted(plan.cohorts.size(), "cohort") + ": " +
            cost_text(plan.seconds(), plan.bytes(), plan.measured()) + ".\n";
    if (!plan.same.runs.empty()) text += words_of(plan.same, plan.runs) + '\n';
    for (const std::string& sentence : plan.missing) text += "The experiment cannot start yet: " + sentence + '\n';
    return text;
}

}  // namespace

void print_plan(const PlannedTraining& training, bool measure, const std::filesystem::path& data_dir, bool as_json) {
    if (training.runs.empty()) {
        const std::string words = training.words + " Nothing would be trained.";
        return as_json ? print_json({{"runs", nlohmann::json::array()}, {"words", words}}) : print_text(words + '\n');
    }
    Preview plan = preview(training.runs, data_dir);
    check_data(plan, data_dir);
    if (measure) measure_here(plan, data_dir);
    leave_out_trained(plan, training.from);
    if (!as_json) return print_text((training.words.empty() ? "" : training.words + '\n') + text_of(plan));
    nlohmann::json result = json_of(plan);
    for (std::size_t i = 0; i < training.from.size(); ++i) result["runs"][i]["resumes_from"] = training.from[i];
    if (!training.words.empty()) result["words"] = training.words;
    print_json(result);
}

}  // namespace ropelab::terminal
