#include "core/lecture/class/class_work.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/results/results_cells.h"
#include "core/results/run_selection.h"
#include "core/settings/run_names.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

constexpr int most_students = 999;
constexpr std::int64_t largest_result_file = 16'000'000;  // bytes

// A student may have replaced the file by anything.
std::string result_text(const fs::path& file) {
    return read_regular_file(file, largest_result_file);
}

nlohmann::json settings_in(const nlohmann::json& run) {
    nlohmann::json settings = nlohmann::json::object();
    for (const Key& key : keys()) {
        if (const auto found = run.find(key.name); found != run.end()) settings[std::string(key.name)] = *found;
    }
    return settings;
}

double number_in(const nlohmann::json& run, const char* name) {
    const auto found = run.find(name);
    return found != run.end() && found->is_number() ? found->get<double>() : RunSummary::unknown;
}

RunSummary summary_in(const nlohmann::json& run) {
    RunSummary summary;
    const double iterations = number_in(run, "trained_iterations");
    if (!(iterations >= 1) || !std::isfinite(number_in(run, "best_validation_loss"))) {
        throw BadInput("a run has no result; print it with \"ropelab-cli sweep … --json\" after training.");
    }
    constexpr double most_iterations = 1e12;
    for (const char* name : {"trained_iterations", "best_iteration"}) {
        if (number_in(run, name) > most_iterations || number_in(run, name) < 0)
            throw BadInput(std::string("the ") + name + " of a run is not a number of steps from 0 to 10^12.");
    }
    for (const char* name : {"best_validation_loss", "final_validation_loss", "whole_validation_loss", "test_loss",
                             "final_training_loss", "seconds", "tokens_per_second"}) {
        if (number_in(run, name) < 0) throw BadInput(std::string("the ") + name + " of a run is negative.");
    }
    summary.iterations = static_cast<std::int64_t>(iterations);
    summary.best_validation_loss = number_in(run, "best_validation_loss");
    const double best = number_in(run, "best_iteration");
    summary.best_iteration = std::isfinite(best) ? static_cast<std::int64_t>(best) : 0;
    summary.final_validation_loss = number_in(run, "final_validation_loss");
    if (const double whole = number_in(run, "whole_validation_loss"); std::isfinite(whole)) {
        summary.whole_validation_loss = whole;
    }
    if (const double test = number_in(run, "test_loss"); std::isfinite(test)) summary.test_loss = test;
    summary.final_training_loss = number_in(run, "final_training_loss");
    summary.bytes_per_token = number_in(run, "bytes_per_token");
    const double seconds = number_in(run, "seconds");
    const double speed = number_in(run, "tokens_per_second");
    summary.seconds = std::isfinite(seconds) ? seconds : 0;
    summary.tokens_per_second = std::isfinite(speed) ? speed : 0;
    return summary;
}

// Settings as text, and best validation loss.
using Result = std::pair<std::string, double>;

Result result_of(const RunSpec& spec, const RunSummary& summary) {
    return {to_json(spec).dump(), summary.best_validation_loss};
}

std::set<Result> results_of(const LabFile& lab) {
    std::set<Result> results;
    for (const RunRecord& run : lab.runs()) {
        if (run.summary && !is_imported(run)) results.insert(result_of(stored_spec(run), *run.summary));
    }
    return results;
}

struct PrintedRun {
    RunSpec spec;
    RunSummary summary;
    RunConditions conditions;
};

std::vector<PrintedRun> printed_runs(const fs::path& file) {
    const nlohmann::json json = parse_bounded(result_text(file), nullptr, false);
    if (!json.is_object() || !json.contains("runs") || !json["runs"].is_array() || json["runs"].empty()) {
        throw BadInput("it is neither a lab file nor the output of \"ropelab-cli sweep … --json\".");
    }
    std::vector<PrintedRun> runs;
    for (const nlohmann::json& run : json["runs"]) try {
            if (!run.is_object()) throw BadInput("each of its runs must be a JSON object.");
            PrintedRun printed{run_spec_from_json(current_settings(settings_in(run))), summary_in(run), {}};
            printed.conditions.precision = run.value("chosen_precision", "float32");
            printed.conditions.device = run.value("chosen_device", "cpu");
            printed.conditions.threads = run.value("chosen_threads", 1);
            printed.conditions.reason = "read from a printed result";
            runs.push_back(std::move(printed));
        } catch (const nlohmann::json::exception&) {
            throw BadInput("a field of its run " + std::to_string(runs.size() + 1) +
                           " has another type than in the output of \"ropelab-cli sweep … --json\".");
        }
    return runs;
}

int add_printed_runs(LabFile& lab, const fs::path& file) {
    std::vector<PrintedRun> runs = printed_runs(file);
    const std::set<Result> known = results_of(lab);
    std::erase_if(runs, [&](const PrintedRun& run) { return known.contains(result_of(run.spec, run.summary)); });
    if (runs.empty()) return 0;
    std::vector<RunSpec> specs;
    for (const PrintedRun& run : runs) specs.push_back(run.spec);
    const std::vector<std::string> names = run_names(specs);
    lab.in_one_transaction([&] {
        const nlohmann::json description = {{"name", file.stem().string()}};
        const std::int64_t experiment = lab.add_experiment(file.stem().string(), description.dump());
        std::vector<Event> events;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const PrintedRun& run = runs[i];
            const RunId id = lab.add_run(experiment, names[i], to_json(run.spec).dump());
            events.push_back(event::CohortStarted{{id}, 0, run.summary.iterations, run.conditions});
            events.push_back(event::Evaluated{id, run.summary.iterations, run.summary.final_training_loss,
                                              run.summary.final_validation_loss});
            events.push_back(event::RunEnded{id, RunState::finished, "", run.summary});
        }
        lab.record(events);
    });
    return static_cast<int>(runs.size());
}

bool is_lab(const fs::path& file) {
    return file.extension() == ".ropelab";
}

std::string student_name(int number, int students) {
    const std::string text = std::to_string(number);
    const std::size_t digits = students > 99 ? 3 : 2;
    return "student-" + std::string(digits - std::min(digits, text.size()), '0') + text;
}

}  // namespace

std::vector<StudentTask> student_tasks(const Experiment& experiment, int students) {
    if (students < 1 || students > most_students) {
        throw BadInput("A class has 1 to " + std::to_string(most_students) + " students, not " +
                       std::to_string(students) + ".");
    }
    experiment.expand();  // throws for an invalid experiment
    const auto first = static_cast<std::int64_t>(parse_number(experiment.values("seed").front()));
    std::vector<StudentTask> tasks;
    for (int number = 1; number <= students; ++number) {
        StudentTask task{student_name(number, students), first + number - 1, experiment};
        task.experiment.set("seed", {std::to_string(task.seed)});
        task.experiment.set_name((experiment.name().empty() ? "" : experiment.name() + ", ") + task.name);
        task.experiment.expand();  // throws if the seed is out of range
        tasks.push_back(std::move(task));
    }
    return tasks;
}

std::string class_sheet(const std::string& title, const std::string& lecture, const std::vector<StudentTask>& tasks) {
    const std::size_t runs = tasks.front().experiment.expand().size();
    std::string text = "# " + title + ": training of the class\n\n";
    text += "Each student trains the same experiment of " + std::to_string(runs) + (runs == 1 ? " run" : " runs") +
            " with a seed of their own. Nothing is sent over a network.\n\n";
    text += "## What you type\n\nReplace `" + tasks.front().name +
            "` by the name in your line of the table. In the folder of your file, type\n\n```\n";
    text += "ropelab-cli sweep --experiment " + tasks.front().name + ".json --lab " + tasks.front().name +
            ".ropelab\n```\n\n";
    text += "If you stop it, add `--resume` to continue. When it has ended, hand in the file `" + tasks.front().name +
            ".ropelab`; the folder of checkpoints beside it is not needed.\n\n";
    text += "| name | seed |\n|---|---|\n";
    for (const StudentTask& task : tasks) text += "| " + task.name + " | " + std::to_string(task.seed) + " |\n";
    text += "\n## How the results are pooled\n\nDrop all files together on the program's window, or type\n\n```\n";
    text += "ropelab-cli lecture class " + lecture + " --pool student-*.ropelab --lab class.ropelab\n";
    text += "ropelab-cli figure group-means --lab class.ropelab --output class.pdf\n```\n\n";
    text +=
        "The figure shows the mean of each setting over all students with its 95 % interval, and each student as a "
        "point.\n";
    return text;
}

ClassPool pool_class(LabFile& lab, std::vector<fs::path> files) {
    // Labs come first, because a printed result of the same run has no curves.
    std::stable_partition(files.begin(), files.end(), is_lab);
    ClassPool pool;
    for (const fs::path& file : files) {
        try {
            pool.runs += is_lab(file) ? lab.merge(file) : add_printed_runs(lab, file);
            ++pool.files;
        } catch (const std::exception& error) {
            pool.refused.push_back({file, error.what()});
        }
    }
    RunSelection selection = run_selection(lab.choice(selection_choice));
    selection.experiment = RunSelection::all_experiments;
    lab.set_choice(selection_choice, to_text(selection));
    return pool;
}

ResultsTable class_table(const LabFile& lab, const std::string& measure) {
    std::vector<ResultRun> runs;
    for (const RunRecord& record : lab.runs()) {
        ResultRun run{changed_settings(record), record.name, record.summary, record.state};
        run.conditions = record.conditions;
        runs.push_back(std::move(run));
    }
    ResultsOptions options;
    options.compare = measure;
    return results_table(runs, options);
}

std::string class_text(const ResultsTable& table) {
    const Measure& measure = measures()[table.compared];
    std::string text = std::string(measure.title) +
                       (measure.unit.empty() ? "" : " (" + std::string(measure.unit) + ")") + " of the class\n";
    for (const ResultGroup& group : table.groups) {
        const Description& described = group.described[table.compared];
        text += "  " + group_label(table, group) + ": " + std::to_string(described.n) +
                (described.n == 1 ? " student" : " students");
        if (described.n > 0) text += ", mean " + mean_and_deviation(described, measure.decimals);
        if (described.n > 1) {
            text += ", 95 % interval of the mean " + fixed_text(described.confidence_low, measure.decimals) + " to " +
                    fixed_text(described.confidence_high, measure.decimals);
        }
        if (group.repeated > 0) text += "; " + std::to_string(group.repeated) + " with a repeated seed not counted";
        if (group.unfinished > 0) text += "; " + std::to_string(group.unfinished) + " not finished";
        if (group.failed > 0) text += "; " + std::to_string(group.failed) + " failed";
        text += "\n";
    }
    for (const std::string& warning : condition_warnings(table)) text += warning + "\n";
    return text;
}

nlohmann::json class_json(const ResultsTable& table) {
    const auto group_json = [&](const ResultGroup& group) -> nlohmann::json {
        const Description& described = group.described[table.compared];
        return {{"settings", group.settings},
                {"students", described.n},
                {"mean", json_number(described.mean)},
                {"standard_deviation", json_number(described.standard_deviation)},
                {"low", json_number(described.confidence_low)},
                {"high", json_number(described.confidence_high)},
                {"seeds", group.seeds},
                {"values", json_list(group.values(table.compared), json_number)}};
    };
    const Measure& measure = measures()[table.compared];
    return {{"measure", measure.name}, {"unit", measure.unit}, {"groups", json_list(table.groups, group_json)}};
}

}  // namespace ropelab
