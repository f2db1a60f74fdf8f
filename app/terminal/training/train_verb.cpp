#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/training/training.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/experiment/experiment.h"
#include "core/forecast/time_model.h"
#include "core/machine/engine_loader.h"
#include "core/reproduce/sheet_lab.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "core/results/results_verdict.h"
#include "core/rope/frequencies.h"
#include "core/run/checkpoint.h"
#include "core/run/runner.h"
#include "core/settings/keys.h"
#include "core/settings/run_names.h"
#include "core/store/lab_file.h"
#include "core/sweep/lab_growth.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/preview.h"
#include "core/sweep/search.h"
#include "core/sweep/sequential_runs.h"
#include "core/sweep/slurm.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

/// --slurm.
struct SlurmFlags {
    std::string folder;              // the folder that is written; "" without --slurm
    std::int64_t at_once = 8;        // maximum number of tasks that run in parallel
    std::int64_t runs_per_task = 0;  // 0: whole cohorts
};

/// A job array that runs this program; prints the resources that each task requests.
void write_slurm(const Experiment& experiment, const SlurmFlags& flags, const std::string& data_dir, bool as_json) {
    for (const RunSpec& spec : experiment.expand())
        open_corpus(spec, data_dir);  // reports bad data now rather than in a queued job
    const SlurmArray array = write_slurm_array(
        experiment,
        {flags.folder, std::filesystem::read_symlink("/proc/self/exe"), data_dir, flags.at_once, flags.runs_per_task});
    if (array.tasks > most_slurm_tasks) {
        std::cerr
            << "The job array has " << grouped(array.tasks) << " tasks, but Slurm accepts at most "
            << grouped(most_slurm_tasks)
            << " unless the cluster's configuration sets MaxArraySize (\"scontrol show config\" prints it); write "
               "several experiments with fewer settings each if sbatch refuses it."
            << std::endl;
    }
    if (as_json) {
        return print_json({{"folder", flags.folder},
                           {"tasks", array.tasks},
                           {"runs", array.runs},
                           {"estimated_seconds", array.estimated_seconds},
                           {"time", array.time},
                           {"memory_megabytes", array.megabytes},
                           {"cores", array.cores},
                           {"gpu", array.gpu}});
    }
    print_text("Wrote " + counted(array.tasks, "task") + " with " + counted(array.runs, "run") +
               " in all; each task requests " + counted(array.cores, "core") + ", " + std::to_string(array.megabytes) +
               " MB, " + (array.gpu ? "one GPU, " : "") + "and " + array.time +
               " (days-hours:minutes:seconds).\nSubmit the job array with " + flags.folder + "/submit.sh.\n");
}

struct PlannedTraining {
    std::vector<RunSpec> runs;
    std::vector<std::int64_t> from;  // iteration from which each run resumes; 0 for the beginning
    std::string words;               // sentence on the lab that is resumed or the stopping rule; "" for neither
    std::optional<PowerForecast> power = {};

    void add(RunSpec run, std::int64_t iteration) {
        runs.push_back(std::move(run));
        from.push_back(iteration);
    }
};

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
    if (interrupted())
        throw std::runtime_error(
            "Interrupted before the time of every cohort (runs trained as one batch) was measured.");
}

// Throws BadInput for data that training would reject, but not for known data sets before their download.
void check_data(const Preview& plan, const std::filesystem::path& data_dir) {
    for (const RunSpec& run : plan.runs) {
        const KnownSet* set = find_known_set(run.data);
        if (set == nullptr || find_on_disk(*set, data_dir)) open_corpus(run, data_dir);
    }
}

// Counts only the iterations that the runs of a cohort have left.
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

std::string cost_text(double seconds, std::int64_t bytes, bool measured, const TimeModel& model) {
    return "about " + (measured ? duration_text(seconds) : model.duration(seconds)) + ", " + bytes_text(bytes) +
           (measured ? " (measured)" : " (estimated)");
}

std::string text_of(const Preview& plan, const TimeModel& model) {
    std::string text;
    for (std::size_t i = 0; i < plan.cohorts.size(); ++i) {
        const PreviewedCohort& cohort = plan.cohorts[i];
        text += "Cohort " + std::to_string(i) + ": " + counted(cohort.runs.size(), "run") + ", " +
                cost_text(cohort.cost.seconds, cohort.cost.bytes, cohort.measured, model) + '\n';
        if (!cohort.width.empty()) text += "  " + cohort.width + '\n';
        if (!cohort.problem.empty())
            text +=
                "  The time of this cohort (runs trained as one batch) could not be measured: " + cohort.problem + '\n';
        if (plan.differing.empty()) continue;
        // One column per setting that differs between any two runs of the plan.
        Table table = Table::titled(plan.differing, "r");
        table.columns.insert(table.columns.begin(), {" "});  // indents the lines
        for (const std::size_t run : cohort.runs) {
            auto& cells = table.rows.emplace_back(std::vector<std::string>{" "});
            for (const std::string& name : plan.differing) cells.push_back(to_text(key(name).get(plan.runs[run])));
        }
        text += table.text();
    }
    text += counted(plan.runs.size(), "run") + " in " + counted(plan.cohorts.size(), "cohort") + ": " +
            cost_text(plan.seconds(), plan.bytes(), plan.measured(), model) + ", " + model.place() + ".\n";
    if (!plan.same.runs.empty()) text += words_of(plan.same, plan.runs) + '\n';
    for (const std::string& sentence : plan.missing) text += "The experiment cannot start yet: " + sentence + '\n';
    return text;
}

struct Flags {
    std::string preset;
    std::string experiment;
    std::vector<std::string> settings;
    std::vector<std::string> zips;
    std::vector<std::string> exclusions;
    std::string lab;
    std::string device;
    std::string data_dir;
    std::optional<std::int64_t> cohort;  // the only cohort to train
    std::string search;                  // method of search; "" for none
    Search sampling;                     // samples, seed and first rung of the search
    SlurmFlags slurm;
    bool until_decided = false;
    std::int64_t max_seeds = SequentialDesign{}.cap;
    std::vector<std::int64_t> looks;  // of group-sequential tests; none for e-processes after every seed
    std::optional<double> target;     // loss that the mean is compared with
    double target_error = SequentialDesign{}.alpha;
    std::vector<std::string> tuned_in;  // labs of the runs that chose the settings
    std::optional<double> paired_sd;    // standard deviation of the differences within pairs, for the power
    bool plan = false;
    std::string device_speed;  // of --plan; "": this machine's
    bool measure = false;
    bool resume = false;
    bool anew = false;  // runs with more iterations start from the beginning
    bool take_over = false;
    bool json = false;
    bool one_run = false;  // the command is train, not sweep

    bool describes() const {
        return !preset.empty() || !experiment.empty() || !settings.empty() || !zips.empty() || !exclusions.empty() ||
               !device.empty() || !search.empty();
    }
};

/// --plan: runs with the settings that differ, cohorts, time and memory. If `measure` is true, a few steps of each
/// cohort are timed on this machine; otherwise time and memory are estimated. The time is that of the remaining
/// iterations. Writes no file and trains no run.
void print_plan(const PlannedTraining& training, const Flags& flags, const std::filesystem::path& data_dir) {
    if (training.runs.empty()) {
        const std::string words = training.words + " No run would be trained.";
        return flags.json ? print_json({{"runs", nlohmann::json::array()}, {"words", words}})
                          : print_text(words + '\n');
    }
    const TimeModel model = time_model_of(flags.device_speed);
    Preview plan = preview(training.runs, data_dir, model);
    check_data(plan, data_dir);
    if (flags.measure) measure_here(plan, data_dir);
    leave_out_trained(plan, training.from);
    const std::string power = training.power ? words_of(*training.power) : "";
    if (!flags.json) {
        return print_text((training.words.empty() ? "" : training.words + '\n') + text_of(plan, model) +
                          (power.empty() ? "" : power + '\n'));
    }
    nlohmann::json result = json_of(plan);
    result["speed"] = model.place();
    if (training.power) result["power"] = to_json(*training.power);
    for (std::size_t i = 0; i < training.from.size(); ++i) result["runs"][i]["resumes_from"] = training.from[i];
    if (!training.words.empty()) result["words"] = training.words;
    print_json(result);
}

struct Described {
    Experiment experiment;
    std::optional<Search> search;
    std::optional<SequentialDesign> stopping = {};
};

std::optional<SequentialDesign> design_of(const Flags& flags) {
    if (!flags.until_decided) return std::nullopt;
    SequentialDesign design;
    design.cap = flags.max_seeds;
    if (!flags.looks.empty()) {
        design.kind = SequentialDesign::Kind::group_sequential;
        design.looks = flags.looks;
        design.cap = design.looks.back();
        design.first = design.looks.front();
    }
    if (flags.target) {
        design.target = flags.target;
        design.alpha = flags.target_error;
        std::set<std::int64_t> seeds;
        for (const std::string& lab : flags.tuned_in) {
            for (const RunRecord& run : LabFile::open(lab, LabFile::Mode::read)->runs())
                seeds.insert(stored_spec(run).seed);
        }
        design.tuning_seeds.assign(seeds.begin(), seeds.end());
    }
    check(design);
    return design;
}

// --set: with --search, a range of a setting is sampled; without it, a range lists whole numbers.
void apply_settings(const Flags& flags, Described& described) {
    Experiment& experiment = described.experiment;
    if (!flags.search.empty()) {
        described.search = flags.sampling;
        described.search->method = search_method(flags.search);
    }
    std::vector<std::string> listed;
    std::vector<SearchRange> ranges;
    for (const std::string& setting : flags.settings) {
        const auto range = described.search ? parse_search_range(setting) : std::nullopt;
        if (!range) {
            listed.push_back(setting);
            continue;
        }
        ranges.push_back(*range);
    }
    experiment.set_assignments(listed);
    if (described.search) described.search->ranges = std::move(ranges);
}

Described described_by(const Flags& flags, const std::optional<Experiment>& base = std::nullopt) {
    if (!flags.preset.empty() && !flags.experiment.empty()) {
        throw BadInput("--preset and --experiment cannot be combined; give one of them.");
    }
    Described described{base ? *base : Experiment(flags.one_run ? "run" : "sweep"), std::nullopt};
    Experiment& result = described.experiment;
    if (!flags.preset.empty()) result = preset(flags.preset).experiment;
    if (!flags.experiment.empty()) result = Experiment::from_json(read_json(flags.experiment));
    apply_settings(flags, described);
    // The flags name all zips and exclusions, so that a repeated command describes the same experiment.
    if (base && !flags.zips.empty()) result.set_zips({});
    if (base && !flags.exclusions.empty()) result.set_exclusions({});
    for (const std::string& zip : flags.zips) result.add_zip(zip);
    for (const std::string& exclusion : flags.exclusions) result.add_exclusion(exclusion);
    if (!flags.device.empty()) {
        const auto sets_device = [](const std::string& setting) { return setting.starts_with("device="); };
        if (std::any_of(flags.settings.begin(), flags.settings.end(), sets_device)) {
            throw BadInput("The device is set twice, by --device and by --set; set it once.");
        }
        result.set("device", {flags.device});
    }
    if (described.search) apply_search(*described.search, result);
    described.stopping = design_of(flags);
    if (described.stopping) set_sequential_seeds(result, *described.stopping);
    return described;
}

// Once for each fraction and head dimension: whole pairs rotate.
void tell_rounded_fractions(std::span<const RunSpec> runs) {
    std::set<std::pair<int, double>> told;
    for (const RunSpec& run : runs) {
        const int channels = run.rotates() ? rotary_dim(run.head_dim(), run.fraction) : 0;
        const double wanted = run.fraction * run.head_dim();
        if (channels == 0 || std::abs(wanted - channels) < 1e-6) continue;
        if (!told.emplace(run.head_dim(), run.fraction).second) continue;
        std::cerr << "fraction=" << number_text(run.fraction) << " is " << rough_text(wanted) << " of "
                  << run.head_dim() << " channels per head; whole pairs rotate, which are " << channels << " channels ("
                  << rough_text(100.0 * channels / run.head_dim()) << " %)." << std::endl;
    }
}

Experiment description(const Flags& flags) {
    return described_by(flags).experiment;
}

// For an existing lab, with what it adds; nullopt if the flags describe nothing, or an experiment that the lab stores.
// Without --preset and --experiment, the flags change the lab's newest experiment.
struct Extension {
    Experiment experiment;
    std::optional<Search> search;
    Growth growth;
};
std::optional<Extension> extension_of(const LabFile& lab, const Flags& flags) {
    if (!flags.describes()) return std::nullopt;
    const bool whole = !flags.preset.empty() || !flags.experiment.empty();
    Described described = described_by(flags, whole ? std::nullopt : newest_experiment(lab));
    Extension result{std::move(described.experiment), std::move(described.search), {}};
    if (stores_experiment(lab, result.experiment)) return std::nullopt;
    if (result.search && result.search->method == Search::Method::halving) {
        throw BadInput("Successive halving compares the runs of one new sweep, so it cannot extend the lab file " +
                       flags.lab + "; name another lab file.");
    }
    if (flags.cohort) {
        throw BadInput("The lab file " + flags.lab +
                       " contains another experiment; --cohort resumes one cohort (runs trained as one batch) of the "
                       "experiment with which the lab file was created.");
    }
    result.growth = growth_of(lab, result.experiment, flags.anew);
    if (flags.one_run && result.growth.added.size() > 1) {
        throw BadInput(
            "This experiment adds " + std::to_string(result.growth.added.size()) +
            " runs to the lab file, but the command \"train\" trains exactly one; use the command \"sweep\".");
    }
    return result;
}

std::string words_of(const Growth& growth) {
    const auto continued = static_cast<std::size_t>(std::count_if(
        growth.added.begin(), growth.added.end(), [](const AddedRun& run) { return run.continues.has_value(); }));
    std::string words = "The lab file has " + std::to_string(growth.present) + " of the experiment's " +
                        counted(growth.present + growth.added.size(), "run");
    if (growth.added.empty()) return words + ", so no run is added.";
    words += "; " + counted(growth.added.size(), "run") + " added";
    if (continued > 0)
        words += ", " + std::to_string(continued) + " of them continuing from checkpoints of shorter runs";
    return words + ".";
}

void refuse_other_cohort(const LabFile& lab, const Flags& flags) {
    if (!flags.cohort) return;
    const std::optional<Experiment> stored = newest_experiment(lab);
    check_contains_cohort(lab, stored ? *stored : description(flags), *flags.cohort, flags.slurm.runs_per_task);
}

// From the flags, or else the one that the lab remembers.
std::filesystem::path data_dir_for(const LabFile& lab, const Flags& flags) {
    return flags.data_dir.empty() ? remembered_data_dir(lab) : std::filesystem::path(flags.data_dir);
}

// Of its checkpoint; 0 without one.
std::int64_t trained_steps(const PlannedRun& run) {
    const auto head = read_checkpoint_head(RunCheckpoint{run.checkpoint, run.spec});
    return head ? head->iteration : 0;
}

// Also adds what the flags ask for.
std::unique_ptr<LabFile> plan_resumed_runs(const Flags& flags, Plan& plan) {
    auto lab = LabFile::open(flags.lab);
    lab->recover(flags.take_over);
    const std::optional<Extension> extension = extension_of(*lab, flags);
    refuse_other_cohort(*lab, flags);
    plan.data_dir = data_dir_for(*lab, flags);
    if (extension && !extension->growth.added.empty()) {
        grow_lab(*lab, extension->experiment, extension->growth, plan.data_dir,
                 [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
                     if (extension->search) store_search(file, id, *extension->search, runs);
                 });
        std::cerr << words_of(extension->growth) << std::endl;
    }
    plan.runs = plan_continued_runs(*lab, unfinished_runs(*lab)).runs;
    settle_data(*lab, plan);
    std::set<std::int64_t> steps;
    for (const PlannedRun& run : plan.runs) steps.insert(trained_steps(run));
    if (!steps.empty() && *steps.rbegin() > 0) {
        std::cerr << "Resumed: " << counted(std::ssize(plan.runs), "run") << " from step " << *steps.begin()
                  << (steps.size() > 1 ? " to " + std::to_string(*steps.rbegin()) : "") << '.' << std::endl;
    }
    return lab;
}

void print_resumed_plan(const Flags& flags) {
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const std::optional<Extension> extension = extension_of(*lab, flags);
    PlannedTraining training;
    for (const PlannedRun& run : plan_continued_runs(*lab, unfinished_runs(*lab)).runs)
        training.add(run.spec, trained_steps(run));
    training.words = training.runs.empty() ? "Every run of the lab file has ended."
                                           : counted(training.runs.size(), "unfinished run") + " of the lab file.";
    if (extension) {
        training.words += " " + words_of(extension->growth);
        const bool has_results =
            std::ranges::any_of(lab->runs(), [](const RunRecord& run) { return run.state == RunState::finished; });
        if (has_results && !extension->growth.added.empty())
            training.words +=
                " If you looked at the results, tests with more seeds are a second look, for which p is "
                "not corrected.";
        for (const AddedRun& added : extension->growth.added) training.add(added.spec, added.iteration);
        training.power =
            power_forecast(extension->experiment.expand(), std::nullopt, flags.paired_sd, paired_deviation(*lab));
    }
    print_plan(training, flags, data_dir_for(*lab, flags));
}

using Names = std::map<RunId, std::string>;

// Returns the lab that stores the plan (null without --lab). Without a lab, `names` receives the names of the runs.
std::unique_ptr<LabFile> plan_runs(const Flags& flags, Plan& plan, Names& names) {
    plan.data_dir = flags.data_dir;
    std::unique_ptr<LabFile> lab;
    std::error_code error;
    const bool there = !flags.lab.empty() && std::filesystem::exists(flags.lab, error);
    if (there && !flags.resume) {
        throw BadInput("The lab file " + flags.lab +
                       " exists already; add --resume to resume its unfinished runs, or name another lab file.");
    }
    if (there && flags.until_decided) {
        throw BadInput("A lab file keeps the stopping rule that it began with, so --until-decided has no effect on " +
                       flags.lab + "; leave it out, or name a new lab file.");
    }
    if (there) return plan_resumed_runs(flags, plan);
    const Described described = described_by(flags);
    const Experiment& experiment = described.experiment;
    const std::vector<RunSpec> all = experiment.expand();
    std::vector<std::size_t> chosen(all.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (described.stopping) chosen = first_runs(experiment, *described.stopping);
    if (flags.cohort) chosen = indices_of_cohort(all, *flags.cohort, flags.slurm.runs_per_task);
    std::vector<RunSpec> specs;
    for (const std::size_t place : chosen) specs.push_back(all[place]);
    tell_rounded_fractions(specs);
    if (flags.one_run && specs.size() != 1) {
        throw BadInput("These settings describe " + std::to_string(specs.size()) +
                       " runs, but the command \"train\" trains exactly one; use the command \"sweep\".");
    }
    // Opening the data throws BadInput for bad data before any run starts.
    if (!flags.lab.empty()) {
        lab = create_filled_lab(flags.lab, [&](LabFile& fresh) {
            const auto more = [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
                enter_predictions(file, id, runs);
                remember_data_dir(file, id, flags.data_dir);
                if (described.search) store_search(file, id, *described.search, runs);
                if (described.stopping) file.add_document(id, stopping_document, to_json(*described.stopping).dump());
            };
            plan.runs =
                (flags.cohort ? plan_new_cohort(fresh, experiment, *flags.cohort, flags.slurm.runs_per_task, more)
                              : plan_new_runs(fresh, experiment, chosen, more))
                    .runs;
            settle_data(fresh, plan);
        });
        plan.runs = plan_continued_runs(*lab, unfinished_runs(*lab)).runs;
    } else {
        for (const RunSpec& spec : specs) open_corpus(spec, flags.data_dir);
        const std::vector<std::string> all_names = run_names(all);
        for (const std::size_t place : chosen) {
            const auto id = static_cast<RunId>(plan.runs.size()) + 1;
            plan.runs.push_back({id, all[place], {}, false, std::nullopt});
            if (described.search) plan.runs.back().stopping = halving_of(*described.search, 0, all);
            names[id] = all_names[place];
        }
    }
    return lab;
}

nlohmann::json json_of(const Outcome& outcome, const std::string& name) {
    nlohmann::json json = to_json(outcome.plan.spec);
    const RunSummary& summary = outcome.summary;
    json["run"] = outcome.plan.id;
    json["label"] = name;
    json["state"] = to_string(outcome.state);
    if (!outcome.message.empty()) json["message"] = outcome.message;
    json["chosen_precision"] = outcome.conditions.precision;
    json["chosen_device"] = outcome.conditions.device;
    if (!outcome.conditions.graphs.empty()) json["chosen_kernels"] = outcome.conditions.graphs;
    json["chosen_threads"] = outcome.conditions.threads;
    json["trained_iterations"] = summary.iterations;
    json["best_validation_loss"] = summary.best_validation_loss;
    json["best_iteration"] = summary.best_iteration;
    json["final_validation_loss"] = summary.final_validation_loss;
    json["whole_validation_loss"] = or_null(summary.whole_validation_loss);
    json["test_loss"] = or_null(summary.test_loss);
    json["final_training_loss"] = summary.final_training_loss;
    json["bits_per_byte"] = bits_per_byte(summary);
    json["bytes_per_token"] = summary.bytes_per_token;
    json["seconds"] = summary.seconds;
    json["tokens_per_second"] = summary.tokens_per_second;
    return json;
}

// Adds the runs of the next looks. Returns false if every comparison has ended.
bool add_next_seeds(LabFile& lab, Names& names) {
    const std::size_t added = add_next_looks(lab);
    if (added == 0) return false;
    for (const RunRecord& record : lab.runs()) names[record.id] = record.name;
    std::cerr << counted(added, "run") + " added for the next look." << std::endl;
    return true;
}

// Of the newest experiment; nullopt without a stopping rule.
std::optional<ResultsTable> sequential_table(const LabFile* lab) {
    if (!lab) return std::nullopt;
    const LabRuns runs = lab_runs(*lab, {});
    ResultsTable table = results_table(result_runs(*lab, runs, false));
    return table.sequential ? std::optional(std::move(table)) : std::nullopt;
}

nlohmann::json comparisons_json(const ResultsTable& table) {
    nlohmann::json list = nlohmann::json::array();
    for (const ResultGroup& group : table.groups) {
        if (!group.paired.sequential) continue;
        list.push_back(sequential_json(*group.paired.sequential));
        list.back()["stopped"] = end_of(table.sequential->design, *group.paired.sequential);
        list.back()["settings"] = group.settings;
        if (table.target()) list.back()["target"] = target_json(table, group);
        list.back()["verdict"] = to_string(verdict_of(table, group));
        list.back()["words"] = verdict_of(table, group).words;
    }
    return list;
}

void print_outcomes(const std::map<RunId, Outcome>& outcomes, const Names& names, const Memory& memory,
                    const std::optional<ResultsTable>& compared, bool as_json) {
    if (as_json) {
        nlohmann::json runs = nlohmann::json::array();
        for (const auto& [id, outcome] : outcomes) runs.push_back(json_of(outcome, names.at(id)));
        const auto known = [](std::int64_t bytes) { return bytes > 0 ? nlohmann::json(bytes) : nullptr; };
        nlohmann::json result = {{"runs", runs},
                                 {"predicted_memory_bytes", known(memory.predicted)},
                                 {"peak_memory_bytes", known(memory.peak)}};
        if (compared) result["comparisons"] = comparisons_json(*compared);
        return print_json(result);
    }
    Table table =
        Table::titled({"run", "best val. loss", "whole val. loss", "final train loss", "tokens/s", "state"}, "lrrrrl");
    Table bits = Table::titled({"run", "bits per byte of the best validation loss"}, "lr");
    std::set<std::pair<std::string, std::int64_t>> tokenizers;
    bool subwords = false;
    for (const auto& [id, outcome] : outcomes) {
        const RunSummary& summary = outcome.summary;
        const RunSpec& spec = outcome.plan.spec;
        table.rows.push_back({names.at(id), fixed_text(summary.best_validation_loss, 4),
                              fixed_text(summary.whole_validation_loss.value_or(RunSummary::unknown), 4),
                              fixed_text(summary.final_training_loss, 4), fixed_text(summary.tokens_per_second, 0),
                              to_string(outcome.state) + (outcome.message.empty() ? "" : ": " + outcome.message)});
        bits.rows.push_back({names.at(id), fixed_text(bits_per_byte(summary), 4)});
        tokenizers.emplace(to_text(key("tokenizer").get(spec)), spec.vocabulary_size);
        subwords = subwords || spec.has_subwords();
    }
    std::string text = table.text();
    text +=
        "Losses are in nats per token. \"best val. loss\" is the lowest of all evaluations; \"whole val. loss\" covers "
        "the whole validation split.\n";
    if (outcomes.size() > 1)
        text += "\"tokens/s\" is the speed of all runs of a cohort (runs trained as one batch) together.\n";
    if (subwords) text += bits.text();
    if (tokenizers.size() > 1) {
        text += "The runs have different tokenizers, so only their bits per byte can be compared.\n";
    }
    if (compared) {
        text += "Stopping rule: " + words_of(compared->sequential->design) + ".\n";
        for (const ResultGroup& group : compared->groups) {
            if (group.paired.sequential)
                text += group_label(*compared, group) + ": " + verdict_of(*compared, group).words + '\n';
        }
    }
    if (memory.peak > 0) {
        text += "Peak memory of training: " + bytes_text(memory.peak) + "; predicted: " + bytes_text(memory.predicted) +
                ".\n";
    }
    print_text(text);
}

// A run that failed in an earlier call, and was not resumed in this one.
void refuse_failed(const std::map<RunId, Outcome>& outcomes) {
    const auto is_failed = [](const auto& entry) { return entry.second.state == RunState::failed; };
    const auto first = std::find_if(outcomes.begin(), outcomes.end(), is_failed);
    if (first == outcomes.end()) return;
    throw std::runtime_error(std::to_string(std::count_if(outcomes.begin(), outcomes.end(), is_failed)) + " of " +
                             std::to_string(outcomes.size()) + " runs failed in an earlier call. " +
                             first->second.message);
}

// --plan.
void print_planned(const Flags& flags) {
    if (!flags.lab.empty() && !flags.resume) {
        throw BadInput(
            "--plan trains nothing, so --lab has no effect; add --resume to plan the training of that lab file.");
    }
    std::error_code error;
    if (!flags.lab.empty() && std::filesystem::exists(flags.lab, error)) return print_resumed_plan(flags);
    PlannedTraining training;
    const Described described = described_by(flags);
    std::vector<RunSpec> specs = described.experiment.expand();
    training.power = power_forecast(specs, described.stopping, flags.paired_sd);
    std::vector<std::size_t> chosen(specs.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (described.stopping) {
        chosen = first_runs(described.experiment, *described.stopping);
        training.words = "Stopping rule: " + words_of(*described.stopping) + ". These " +
                         counted(chosen.size(), "run") + " train before the first look; at most " +
                         std::to_string(specs.size()) + " train in all.";
    }
    for (const std::size_t i : chosen) training.add(std::move(specs[i]), 0);
    tell_rounded_fractions(training.runs);
    print_plan(training, flags, flags.data_dir);
}

void run(const Flags& flags) {
    if (flags.slurm.runs_per_task > 0 && flags.slurm.folder.empty() && !flags.cohort) {
        throw BadInput("--runs-per-task divides the cohorts of a job array; use it with --slurm or --cohort.");
    }
    if (flags.resume && !flags.describes() && !std::filesystem::exists(flags.lab)) {
        throw BadInput("There is no lab file " + flags.lab +
                       " to resume; name one that exists, or add the settings of an experiment that begins it.");
    }
    if (!flags.slurm.folder.empty()) return write_slurm(description(flags), flags.slurm, flags.data_dir, flags.json);
    if (flags.plan) return print_planned(flags);
    if (flags.until_decided && flags.lab.empty()) {
        throw BadInput(
            "--until-decided decides from stored results which seeds to train, so it needs a lab file; add "
            "--lab FILE.");
    }
    Plan plan;
    Names names;
    const auto lab = plan_runs(flags, plan, names);
    if (lab && flags.cohort) {
        const auto stored = lab->experiments();
        plan.settle_precision =
            settle_precision_in_file(std::filesystem::path(flags.lab).parent_path() / precision_file,
                                     Experiment::from_text(stored.back().description));
    }
    std::map<RunId, Outcome> outcomes;
    if (lab) {
        // Runs that ended in an earlier call are part of the output.
        for (const RunRecord& record : lab->runs()) {
            names[record.id] = record.name;
            outcomes[record.id] = {{record.id, stored_spec(record), {}, false, {}},
                                   record.state,
                                   record.message,
                                   record.summary.value_or(RunSummary{}),
                                   record.conditions.value_or(RunConditions{})};
        }
    }

    const std::string not_trained = lab ? lab->words_of(lab->claimed_runs()) : "";
    Memory memory;
    const std::filesystem::path data_dir = plan.data_dir;
    event::SweepEnded ending = train(std::move(plan), flags.lab, outcomes, memory);
    while (lab && ending.state != RunState::stopped && add_next_seeds(*lab, names)) {
        Plan next = plan_continued_runs(*lab, unfinished_runs(*lab));
        next.data_dir = data_dir;
        settle_data(*lab, next);
        ending = train(std::move(next), flags.lab, outcomes, memory);
    }
    print_outcomes(outcomes, names, memory, sequential_table(lab.get()), flags.json);
    if (ending.state == RunState::failed) throw std::runtime_error(ending.message);
    if (ending.state == RunState::stopped) {
        throw std::runtime_error(lab ? "Stopped. Run the command again with --resume to resume from here."
                                     : "Stopped. Nothing was stored, because --lab was not given.");
    }
    refuse_failed(outcomes);
    if (!not_trained.empty()) throw std::runtime_error(not_trained);
}

// --plan and --measure. CLI11 reports flags that exclude each other as CLI::ParseError.
void add_plan_options(CLI::App& verb, Flags& flags) {
    CLI::Option* plan =
        verb.add_flag("--plan", flags.plan,
                      "Print the runs, their cohorts (runs trained as one batch), time and memory without training. "
                      "With --resume, print the runs that would be added to the lab file and trained");
    verb.add_flag("--measure", flags.measure,
                  "With --plan: measure a few training steps of each cohort (runs trained as one batch) instead of "
                  "estimating its time")
        ->needs(plan);
    add_device_speed(verb, flags.device_speed, plan)->excludes("--measure");
}

void add_search_options(CLI::App& verb, Flags& flags) {
    CLI::Option* search = verb.add_option(
        "--search", flags.search,
        "Sample the ranges of --set, such as \"learning_rate=1e-3..1e-2 log\": random (independent samples), sobol "
        "(points of a Sobol sequence, which fill the ranges evenly) or halving (successive halving of sobol samples, "
        "or of the sweep's values if there are no ranges). At the iterations r, 2r, 4r, … (the rungs), halving stops "
        "the half of the settings with the higher validation loss, averaged over seeds");
    verb.add_option("--samples", flags.sampling.samples, "Number of settings to sample from the ranges of --set")
        ->needs(search)
        ->capture_default_str();
    verb.add_option("--search-seed", flags.sampling.seed, "Random seed of the samples")
        ->needs(search)
        ->capture_default_str();
    verb.add_option("--first-rung", flags.sampling.first_rung,
                    "With --search halving: iteration r at which the first settings are stopped (default: an eighth of "
                    "the iterations, rounded up to an evaluation)")
        ->needs(search)
        ->check(CLI::PositiveNumber);
    search->excludes(verb.get_option("--cohort"))->excludes(verb.get_option("--slurm"));
}

// --target-loss, --target-error and --tuned-in.
void add_target_options(CLI::App& verb, Flags& flags) {
    CLI::Option* target = verb.add_option(
        "--target-loss", flags.target,
        "With --until-decided: train seeds until the mean validation loss of each setting (last weights, whole "
        "validation split) is significantly below or above this loss in nats, instead of comparing settings");
    target->needs(verb.get_option("--until-decided"));
    verb.add_option("--target-error", flags.target_error,
                    "With --target-loss: probability that a mean is called below the target although it is not, over "
                    "all looks and settings together")
        ->needs(target)
        ->capture_default_str();
    add_repeated(verb, "--tuned-in", flags.tuned_in,
                 "With --target-loss: lab file with runs that chose the settings; their seeds are not used");
    verb.get_option("--tuned-in")->needs(target);
}

// --until-decided, --max-seeds, --looks and --paired-sd.
void add_sequential_options(CLI::App& verb, Flags& flags) {
    CLI::Option* until = verb.add_flag(
        "--until-decided", flags.until_decided,
        "Train seeds until each setting is significantly different from the baseline, equivalent to it, or unlikely to "
        "be either by the largest number of seeds. The seeds begin at the experiment's seed and are used in order; p "
        "values and intervals hold however often one looks");
    verb.add_option("--max-seeds", flags.max_seeds, "With --until-decided: largest number of seeds per setting")
        ->needs(until)
        ->capture_default_str();
    verb.add_option(
            "--looks", flags.looks,
            "With --until-decided: test only at these numbers of seeds, such as 4,6,8,10, by group-sequential t "
            "tests; the last one is the largest number of seeds (default: after every seed from 3 on)")
        ->delimiter(',')
        ->needs(until)
        ->excludes(verb.get_option("--max-seeds"));
    verb.add_option(
            "--paired-sd", flags.paired_sd,
            "With --plan: standard deviation of the difference between two settings of equal seed, in nats, from "
            "which the detectable difference follows (default: that of the lab file, with --resume)")
        ->needs(verb.get_option("--plan"))
        ->check(CLI::PositiveNumber);
    until->excludes(verb.get_option("--cohort"))
        ->excludes(verb.get_option("--slurm"))
        ->excludes(verb.get_option("--search"));
}

// --cohort, --slurm, --max-parallel-tasks and --runs-per-task.
void add_cluster_options(CLI::App& verb, Flags& flags) {
    CLI::Option* cohort = verb.add_option("--cohort", flags.cohort,
                                          "Train only the cohort (runs trained as one batch) with this number, counted "
                                          "from 0; the tasks of --slurm use this option");
    CLI::Option* slurm =
        verb.add_option("--slurm", flags.slurm.folder, "Write a Slurm job array into this folder without training");
    verb.add_option("--max-parallel-tasks", flags.slurm.at_once,
                    "Maximum number of tasks of the job array that run in parallel")
        ->capture_default_str()
        ->needs(slurm);
    verb.add_option("--runs-per-task", flags.slurm.runs_per_task,
                    "With --slurm or --cohort: divide each cohort (runs trained as one batch) into parts of at most "
                    "this number "
                    "of runs; the results do not change (default: whole cohorts)")
        ->check(CLI::PositiveNumber);
    slurm->excludes(cohort)->excludes(verb.get_option("--lab"))->excludes(verb.get_option("--resume"));
    verb.get_option("--plan")->excludes(cohort)->excludes(slurm);
}

}  // namespace

void add_train(CLI::App& program) {
    const auto add = [&](const char* name, const char* what, bool one_run) {
        CLI::App* verb = program.add_subcommand(name, what);
        auto& flags = with_flags<Flags>(*verb, run);
        flags.one_run = one_run;
        verb->add_option("--preset", flags.preset,
                         "Built-in experiment (preset): " + joined(presets(), ", ", &Preset::name));
        verb->add_option("--experiment", flags.experiment, "JSON file that describes the experiment");
        add_repeated(*verb, "--set", flags.settings,
                     "key=value sets a setting; key=value,value,… sweeps it, and key=1..10 sweeps all whole numbers "
                     "from 1 to 10 (ropelab-cli --help keys lists all settings)");
        add_repeated(*verb, "--zip", flags.zips,
                     "key,key: vary these swept settings together (all first values, then all second values, …) "
                     "instead of training all combinations of their values");
        add_repeated(*verb, "--exclude", flags.exclusions,
                     "key=value or key=value,key=value: exclude the runs with these values");
        verb->add_option("--lab", flags.lab, "Lab file that stores the experiment, its curves and checkpoints");
        verb->add_flag(
                "--resume", flags.resume,
                "Resume the unfinished runs of the lab file. Flags that describe an experiment create the file if "
                "it does not exist, or change its newest experiment and add the missing runs: "
                "runs with more seeds or values, or longer runs if there are more iterations. Longer runs "
                "continue from copies of the shorter runs' checkpoints")
            ->needs(verb->get_option("--lab"));
        verb->add_flag("--anew", flags.anew,
                       "With --resume: train added runs with more iterations from the beginning, with the learning "
                       "rate schedule of their new length, instead of continuing shorter runs")
            ->needs(verb->get_option("--resume"));
        verb->add_flag("--take-over", flags.take_over,
                       "With --resume: also resume runs that a program on another machine was training; use this flag "
                       "only after that program has ended")
            ->needs(verb->get_option("--resume"));
        verb->add_option("--device", flags.device, "Device: auto, cpu or cuda");
        verb->add_option("--data-dir", flags.data_dir,
                         "Folder that is searched first for known data sets; the lab file stores its path");
        add_json(*verb, flags.json);
        if (!one_run) {
            add_plan_options(*verb, flags);
            add_cluster_options(*verb, flags);
            add_search_options(*verb, flags);
            add_sequential_options(*verb, flags);
            add_target_options(*verb, flags);
        }
        verb->footer("\"ropelab-cli --help keys\" lists every setting with its default.");
    };
    add("train", "Train one model with one seed", true);
    add("sweep", "Train every run of an experiment; runs of equal shape train as one batched program (a cohort)",
        false);
}

}  // namespace ropelab::terminal
