#include <algorithm>
#include <iostream>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/training/training.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/forecast/estimate.h"
#include "core/machine/engine_loader.h"
#include "core/reproduce/report.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheet_lab.h"
#include "core/store/output_file.h"
#include "core/sweep/lab_plan.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

namespace fs = std::filesystem;

struct Flags {
    std::string name;
    std::string scale;  // "": laptop, or that of the existing lab
    std::string lab;
    std::string data_dir;
    std::optional<std::int64_t> seeds;
    bool sequential = false;
    bool tune = false;
    std::optional<std::int64_t> max_seeds;
    bool resume = false;
    bool list = false;
    bool plan = false;
    std::string device_speed;
    std::string format = "text";
    bool json = false;
};

// Throws BadInput if the format is unknown or if there is no such table.
void check_sheet_format(const Flags& flags) {
    check_table_format(flags.format);
    if ((flags.list || flags.plan) && (flags.format == "csv" || flags.format == "latex"))
        throw BadInput("--format " + flags.format +
                       " prints the tables of results, but --list and --plan print none; leave out --format.");
}

void print_list(bool as_json) {
    nlohmann::json list = nlohmann::json::array();
    Table table{{{"", 'l', 16}, {"", 'l'}}, {}};
    for (const Sheet& known : sheets()) {
        list.push_back({{"name", known.name}, {"title", known.title}});
        table.rows.push_back({known.name, known.title});
    }
    as_json ? print_json({{"sheets", list}}) : print_text(table.text());
}

SheetPlan planned(const Flags& flags) {
    SheetRequest request{flags.scale.empty() ? SheetScale::laptop : sheet_scale(flags.scale), flags.seeds,
                         flags.data_dir};
    if (flags.sequential) {
        request.stopping = flags.seeds ? group_sequential_design(*flags.seeds) : SequentialDesign{};
        if (flags.max_seeds) request.stopping->cap = *flags.max_seeds;
        check(*request.stopping);
    }
    request.only_plans = flags.plan;
    return sheet(flags.name).plan(request);
}

// The stored plan is used even if a sheet of that name would have other data or rules today.
void refuse_other_sheet(const SheetPlan& stored, const Flags& flags) {
    const std::string what = stored.sheet + " at " + to_string(stored.scale) + " scale, " +
                             std::to_string(seeds_of(stored).size()) + " seeds";
    const bool seeds_differ = flags.seeds && *flags.seeds != std::ssize(seeds_of(stored));
    const bool scale_differs = !flags.scale.empty() && stored.scale != sheet_scale(flags.scale);
    if (flags.sequential && !stored.stopping) {
        throw BadInput("The lab file " + flags.lab +
                       " began with a fixed number of seeds and keeps that rule; leave out --sequential, or name a new "
                       "lab file.");
    }
    if (flags.tune && std::ranges::none_of(stored.rows, &PlannedRow::tuned)) {
        throw BadInput("The lab file " + flags.lab +
                       " began without tuned groups; leave out --tune-baselines, or name a new lab file.");
    }
    if (stored.sheet != flags.name || scale_differs || seeds_differ) {
        throw BadInput("The lab file " + flags.lab + " belongs to the reproduction " + what +
                       "; name that reproduction, scale and number of seeds, or another lab file.");
    }
}

[[noreturn]] void stopped(const Flags& flags) {
    throw std::runtime_error(flags.lab.empty() ? "Stopped. Nothing was stored, because --lab was not given."
                                               : "Stopped. Run the same command again to resume from here.");
}

// The runs of the search, in a lab beside that of the sheet, from which an interrupted command resumes.
std::unique_ptr<LabFile> searched(const fs::path& path, const SheetPlan& plan, const Flags& flags) {
    const fs::path file = path.parent_path() / (path.stem().string() + "-tuning.ropelab");
    std::error_code error;
    if (!fs::exists(file, error))
        create_filled_lab(file, [&](LabFile& lab) { plan_new_runs(lab, tuning_experiment(plan)); });
    auto lab = LabFile::open(file);
    lab->recover();
    Plan runs = plan_continued_runs(*lab, unfinished_runs(*lab));
    runs.data_dir = flags.data_dir;
    settle_data(*lab, runs);
    std::map<RunId, Outcome> outcomes;
    Memory memory;
    const event::SweepEnded ending = train(std::move(runs), file, outcomes, memory);
    if (ending.state == RunState::stopped || interrupted()) stopped(flags);
    return lab;
}

// In a temporary folder, so that no incomplete lab can appear at `path`.
void start_lab(const fs::path& path, const Flags& flags) {
    SheetPlan plan = planned(flags);
    if (flags.tune) plan = tuned_plan(std::move(plan), *searched(path, plan, flags));
    const TemporaryFolder folder;
    const auto lab = LabFile::create(folder.path() / "sheet.ropelab");
    enter_sheet(*lab, plan);
    Plan runs = plan_continued_runs(*lab, unfinished_runs(*lab));
    runs.data_dir = flags.data_dir;
    settle_data(*lab, runs);
    lab->save_as(path);
}

StoredSheet opened_sheet(const fs::path& path, const Flags& flags) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        if (flags.resume)
            throw BadInput("There is no lab file " + path.string() + " to resume; leave out --resume to create it.");
        start_lab(path, flags);
    }
    const auto lab = LabFile::open(path);
    lab->recover();
    const auto stored = stored_sheet(*lab);
    if (!stored)
        throw BadInput("The lab file " + path.string() +
                       " contains no reproduction of a paper; name another lab file, or a new file.");
    refuse_other_sheet(stored->plan, flags);
    return *stored;
}

void train_and_measure(const fs::path& path, const StoredSheet& stored, const Flags& flags) {
    Plan plan = remaining_plan(*LabFile::open(path), stored);
    plan.data_dir = flags.data_dir;
    if (const auto lab = LabFile::open(path, LabFile::Mode::read); plan.runs.empty() && !lab->claimed_runs().empty()) {
        throw std::runtime_error(lab->words_of(lab->claimed_runs()));
    }
    settle_data(*LabFile::open(path), plan);
    std::map<RunId, Outcome> outcomes;
    Memory memory;
    const event::SweepEnded ending = train(std::move(plan), path, outcomes, memory);
    if (ending.state == RunState::stopped || interrupted()) stopped(flags);
    watch_interrupts();
    const auto lab = LabFile::open(path);
    if (ending.state == RunState::failed) {
        // Runs that diverge are part of the result. There is no result if every run failed or if some runs did not end.
        const auto runs = sheet_runs(*lab, stored.experiment);
        const auto finished = [](const SheetRun& run) { return run.state == RunState::finished; };
        const auto ended = [](const auto& outcome) { return outcome.second.state != RunState::waiting; };
        if (std::none_of(runs.begin(), runs.end(), finished) || !std::all_of(outcomes.begin(), outcomes.end(), ended)) {
            throw std::runtime_error(ending.message);
        }
        std::cerr << ending.message << std::endl;
    }
    if (!measure_runs(*lab, stored.experiment, stored.plan, flags.data_dir, open_engine, interrupted)) stopped(flags);
}

// Runs of the next looks; false if every row has ended.
bool add_next_seeds(const fs::path& path) {
    const std::size_t added = add_next_looks(*LabFile::open(path));
    if (added > 0) std::cerr << counted(added, "run") + " added for the next look." << std::endl;
    return added > 0;
}

void reproduce(const fs::path& path, const Flags& flags) {
    const StoredSheet stored = opened_sheet(path, flags);
    do {
        train_and_measure(path, stored, flags);
    } while (stored.plan.stopping && add_next_seeds(path));
    const auto runs = sheet_runs(*LabFile::open(path, LabFile::Mode::read), stored.experiment);
    const auto rows = evaluate(stored.plan, runs);
    const auto predictions = score(stored.plan, runs);
    if (flags.format == "csv") return print_text(sheet_csv(rows));
    if (flags.format == "latex") return print_text(sheet_latex(stored.plan, rows));
    flags.json ? print_json(sheet_json(stored.plan, rows, predictions))
               : print_text(sheet_text(stored.plan, rows, predictions));
}

void run(Flags& flags) {
    flags.json = flags.json || flags.format == "json";
    check_sheet_format(flags);
    if (flags.list) return print_list(flags.json);
    if (flags.name.empty())
        throw BadInput("The name of a reproduction is missing; \"ropelab-cli reproduce --list\" lists the names.");
    if (flags.plan) {
        SheetPlan plan = planned(flags);
        const TimeModel model = time_model_of(flags.device_speed);
        if (flags.tune) {
            std::erase(plan.notes, untuned_note);
            const double seconds = estimate(tuning_experiment(plan).expand(), model, flags.data_dir).seconds;
            plan.notes.push_back(tuning_words(plan) + " The search costs about " + model.duration(seconds) + " " +
                                 model.place() + ", in addition to the runs below.");
            for (PlannedRow& row : plan.rows) row.tuned = true;
        }
        return flags.json ? print_json(plan_json(plan, flags.data_dir, model))
                          : print_text(plan_text(plan, flags.data_dir, model));
    }
    sheet(flags.name);
    if (!flags.scale.empty()) sheet_scale(flags.scale);
    if (!flags.lab.empty()) return reproduce(flags.lab, flags);
    const TemporaryFolder folder;
    reproduce(folder.path() / "reproduce.ropelab", flags);
}

}  // namespace

void add_reproduce(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "reproduce", "Retrain a published experiment and test its claims with preregistered rules");
    auto& flags = with_flags<Flags>(*verb, run);
    verb->add_option("name", flags.name,
                     "Name of the reproduction of a published table or claim, such as theta-table-2; --list lists all");
    verb->add_option("--scale", flags.scale,
                     "Scale of the experiment: smoke (trains for seconds, as a test), laptop or paper (default: "
                     "laptop, or the scale of the lab file)");
    CLI::Option* lab = verb->add_option(
        "--lab", flags.lab, "Lab file that stores runs and results; if it exists, its reproduction is resumed");
    verb->add_option(
        "--seeds", flags.seeds,
        "Number of seeds per setting (default: 2 at smoke scale, otherwise the number that the reproduction defines)");
    CLI::Option* sequential = verb->add_flag(
        "--sequential", flags.sequential,
        "Train seeds until each row is settled, equivalent, or unlikely to be settled: with --seeds N by "
        "group-sequential tests at up to five looks, else by anytime-valid e-processes after each seed");
    verb->add_option("--max-seeds", flags.max_seeds,
                     "With --sequential: largest number of seeds per setting (default: 42)")
        ->needs(sequential)
        ->excludes(verb->get_option("--seeds"));
    verb->add_flag("--tune-baselines", flags.tune,
                   "Before the rows, tune the learning rate of every group, claimed winners and baselines, by the same "
                   "search: times 0.5, 1 and 2, on two seeds that no row uses; its runs are in a lab file beside that "
                   "of --lab");
    add_data_dir(*verb, flags.data_dir);
    verb->add_flag("--resume", flags.resume,
                   "Only resume the reproduction in the lab file; fail if the file does not exist")
        ->needs(lab);
    verb->add_flag("--list", flags.list, "List the reproductions of published tables and claims");
    CLI::Option* plan = verb->add_flag(
        "--plan", flags.plan,
        "Print the runs, their estimated time and memory, the rules of the verdicts and the predictions, "
        "without training; no data is needed");
    add_device_speed(*verb, flags.device_speed, plan);
    CLI::Option* format =
        verb->add_option("--format", flags.format, "Output format: text, csv, latex or json")->capture_default_str();
    verb->add_flag("--json", flags.json, "Print the result as JSON")->excludes(format);
}

}  // namespace ropelab::terminal
