#include <algorithm>
#include <iostream>
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/training.h"
#include "app/terminal/verbs.h"
#include "core/bench/programs.h"
#include "core/experiment/engine_loader.h"
#include "core/experiment/lab_plan.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/sheets/report.h"
#include "core/experiment/sheets/sheet_lab.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

namespace fs = std::filesystem;

struct Flags {
    std::string name;
    std::string scale = "smoke";
    std::string lab;
    std::string data_dir;
    std::optional<std::int64_t> seeds;
    bool resume = false;
    bool list = false;
    bool plan = false;
    bool json = false;
};

void print_list(bool as_json) {
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (const Sheet& known : sheets()) {
        list.push_back({{"name", known.name}, {"title", known.title}});
        text += known.name + std::string(16 - std::min<std::size_t>(15, known.name.size()), ' ') + known.title + '\n';
    }
    as_json ? print_json({{"sheets", list}}) : print_text(text);
}

SheetPlan planned(const Flags& flags) {
    return sheet(flags.name).plan({sheet_scale(flags.scale), flags.seeds, flags.data_dir});
}

std::size_t seeds_of(const SheetPlan& plan) {
    return plan.experiment.values("seed").size();
}

// A lab goes on with the sheet that it was started with, whatever texts and rules a sheet made now would have.
void refuse_other_sheet(const SheetPlan& stored, const Flags& flags) {
    const std::string what =
        stored.sheet + " at " + to_string(stored.scale) + " scale, " + std::to_string(seeds_of(stored)) + " seeds";
    const bool seeds_differ = flags.seeds && *flags.seeds != static_cast<std::int64_t>(seeds_of(stored));
    if (stored.sheet != flags.name || stored.scale != sheet_scale(flags.scale) || seeds_differ) {
        throw BadInput("The lab " + flags.lab + " holds the sheet " + what + "; ask for that, or name another lab.");
    }
}

// Entered elsewhere and moved: a lab by this name has its whole sheet, or is not there.
void start_lab(const fs::path& path, const Flags& flags) {
    const SheetPlan plan = planned(flags);
    const bench::TemporaryFolder folder;
    const auto lab = LabFile::create(folder.path() / "sheet.ropelab");
    enter_sheet(*lab, plan);
    Plan runs = plan_continued_runs(*lab, unfinished_runs(*lab));
    runs.data_dir = flags.data_dir;
    settle_texts(*lab, runs);
    lab->save_as(path);
}

StoredSheet opened_sheet(const fs::path& path, const Flags& flags) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        if (flags.resume) throw BadInput("There is no lab " + path.string() + " to go on with; leave out --resume.");
        start_lab(path, flags);
    }
    const auto lab = LabFile::open(path);
    lab->recover();
    const auto stored = stored_sheet(*lab);
    if (!stored)
        throw BadInput("The lab " + path.string() + " holds no sheet; name another, or one that is not there.");
    refuse_other_sheet(stored->plan, flags);
    return *stored;
}

[[noreturn]] void stopped(const Flags& flags) {
    throw std::runtime_error(flags.lab.empty() ? "Stopped; without --lab nothing was kept."
                                               : "Stopped; the same command goes on from here.");
}

void train_and_measure(const fs::path& path, const StoredSheet& stored, const Flags& flags) {
    Plan plan = remaining_plan(*LabFile::open(path), stored);
    plan.data_dir = flags.data_dir;
    if (const auto lab = LabFile::open(path, LabFile::Mode::read); plan.runs.empty() && !lab->held_runs().empty()) {
        throw std::runtime_error(lab->words_of(lab->held_runs()));
    }
    settle_texts(*LabFile::open(path), plan);
    std::map<RunId, Outcome> outcomes;
    Memory memory;
    const event::SweepEnded ending = train(std::move(plan), path, outcomes, memory);
    if (ending.state == RunState::stopped || interrupted()) stopped(flags);
    watch_interrupts();
    const auto lab = LabFile::open(path);
    if (ending.state == RunState::failed) {
        // A run that diverges fails alone and is part of the answer; where no run came through, there is none.
        const auto runs = sheet_runs(*lab, stored.experiment);
        const auto finished = [](const SheetRun& run) { return run.state == RunState::finished; };
        const auto ended = [](const auto& outcome) { return outcome.second.state != RunState::waiting; };
        if (std::none_of(runs.begin(), runs.end(), finished) || !std::all_of(outcomes.begin(), outcomes.end(), ended)) {
            throw std::runtime_error(ending.message);
        }
        std::cerr << ending.message << std::endl;
    }
    const auto engine = []() -> Engine& { return open_engine(); };
    if (!measure_runs(*lab, stored.experiment, stored.plan, flags.data_dir, engine, [] { return interrupted(); }))
        stopped(flags);
}

void reproduce(const fs::path& path, const Flags& flags) {
    const StoredSheet stored = opened_sheet(path, flags);
    train_and_measure(path, stored, flags);
    const auto runs = sheet_runs(*LabFile::open(path, LabFile::Mode::read), stored.experiment);
    const auto rows = evaluate(stored.plan, runs);
    const auto predictions = score(stored.plan, runs);
    flags.json ? print_json(sheet_json(stored.plan, rows, predictions))
               : print_text(sheet_text(stored.plan, rows, predictions));
}

void run(const Flags& flags) {
    if (flags.list) return print_list(flags.json);
    if (flags.name.empty()) throw BadInput("Name a sheet; ropelab-cli reproduce --list lists them.");
    if (flags.plan) {
        const SheetPlan plan = planned(flags);
        return flags.json ? print_json(plan_json(plan, flags.data_dir)) : print_text(plan_text(plan, flags.data_dir));
    }
    sheet(flags.name);
    sheet_scale(flags.scale);
    if (!flags.lab.empty()) return reproduce(flags.lab, flags);
    const bench::TemporaryFolder folder;
    reproduce(folder.path() / "reproduce.ropelab", flags);
}

}  // namespace

void add_reproduce(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("reproduce", "Published claims, trained again and judged by fixed rules");
    verb->add_option("name", flags->name, "A sheet, as theta-table-2 (--list)");
    verb->add_option("--scale", flags->scale, "smoke (seconds), laptop or paper")->capture_default_str();
    CLI::Option* lab = verb->add_option(
        "--lab", flags->lab, "A lab file to keep everything in; where it is there already, it goes on with its sheet");
    verb->add_option("--seeds", flags->seeds, "Seeds a setting; else two at smoke scale, and the sheet's own number");
    verb->add_option("--data-dir", flags->data_dir, "A folder in which known sets are looked for first");
    verb->add_flag("--resume", flags->resume, "Only go on: the lab has to be there")->needs(lab);
    verb->add_flag("--list", flags->list, "List the sheets");
    verb->add_flag("--plan", flags->plan, "Show runs, cost, rules and predictions, and train nothing");
    verb->add_flag("--json", flags->json, "Write JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
