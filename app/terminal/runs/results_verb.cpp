#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/machine/engine_loader.h"
#include "core/reproduce/published/published.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheet_lab.h"
#include "core/results/decision_aid.h"
#include "core/results/fits/loss_fit.h"
#include "core/results/results_table.h"
#include "core/store/lab_file.h"
#include "core/study/head_conversion.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/stored_run.h"

namespace ropelab::terminal {

namespace {

// Without options the choice of runs that the lab stores applies.
struct SelectionFlags {
    std::string experiment;  // "" for the stored choice
    bool unfinished = false;
    bool only_finished = false;  // neither of the two: the stored choice
    std::vector<std::string> split_by;
    std::vector<RunId> exclude;
    std::vector<RunId> include;
    std::string margin;   // "" for the stored choice
    bool merged = false;  // labs were merged into this one

    bool changes() const {
        return !experiment.empty() || unfinished || only_finished || !split_by.empty() || !exclude.empty() ||
               !include.empty() || !margin.empty() || merged;
    }
};
std::int64_t parsed_experiment(const std::string& text, const LabFile& lab) {
    if (text == "latest") return RunSelection::latest_experiment;
    if (text == "all") return RunSelection::all_experiments;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        if (std::to_string(experiment.id) == text) return experiment.id;
    }
    throw BadInput("\"" + text + "\" is not an experiment of " + lab.path().string() +
                   "; it must be latest, all or the number of an experiment (1 to " +
                   std::to_string(lab.experiments().size()) + ").");
}

// As the lab stores it, changed by the flags.
RunSelection selection_of(const SelectionFlags& flags, const LabFile& lab) {
    RunSelection selection = stored_selection(lab);
    // Labs are merged because their runs belong together.
    if (flags.merged) selection.experiment = RunSelection::all_experiments;
    if (!flags.experiment.empty()) selection.experiment = parsed_experiment(flags.experiment, lab);
    if (flags.unfinished || flags.only_finished) selection.unfinished = flags.unfinished;
    if (!flags.split_by.empty()) {
        selection.split_by = flags.split_by;
        std::erase(selection.split_by, "nothing");
        check_split(selection.split_by);
    }
    if (!flags.margin.empty()) selection.margin = flags.margin;
    for (const RunId run : flags.exclude) selection.excluded.insert(lab.run(run).id);
    for (const RunId run : flags.include) selection.excluded.erase(lab.run(run).id);
    return selection;
}

void add_selection_options(CLI::App& verb, SelectionFlags& flags) {
    verb.add_option(
        "--experiment", flags.experiment,
        "Experiment whose runs are included: latest, all or the number of an experiment. The lab file "
        "stores this choice and the choices of --unfinished, --split-by, --margin, --exclude-run and --include-run; "
        "the window uses the stored choices. --merge chooses all");
    CLI::Option* unfinished =
        verb.add_flag("--unfinished", flags.unfinished, "Include stopped and failed runs in the results");
    verb.add_flag("--no-unfinished", flags.only_finished, "Exclude stopped and failed runs from the results again")
        ->excludes(unfinished);
    verb.add_option("--split-by", flags.split_by,
                    "Separate groups by the precision, device or kernels of their runs (several: precision,device); "
                    "\"nothing\" ends the separation")
        ->delimiter(',');
    verb.add_option("--exclude-run", flags.exclude, "Number of a run that is excluded from the results")
        ->allow_extra_args(false);
    verb.add_option("--include-run", flags.include, "Number of an excluded run that is included in the results again")
        ->allow_extra_args(false);
}

std::vector<SweepPredictions> selected_predictions(const LabFile& lab, const SelectedRuns& selected) {
    std::vector<SweepPredictions> sweeps = sweep_predictions_of(lab);
    if (selected.experiment == RunSelection::all_experiments) return sweeps;
    std::erase_if(sweeps,
                  [&](const SweepPredictions& sweep) { return sweep.stored.experiment != selected.experiment; });
    return sweeps;
}

// For the next call and for the window. A lab that cannot be written stays as it is.
void remember(const RunSelection& selection, const std::string& lab) {
    try {
        const auto file = LabFile::open(lab);
        if (to_text(stored_selection(*file)) == to_text(selection)) return;
        file->set_choice(selection_choice, to_text(selection));
        std::cerr << "The lab file stores this choice of runs and margin; later calls and the window use it."
                  << std::endl;
    } catch (const std::exception&) {  // a read-only folder, a full disk
        std::cerr << "The choice of runs is not stored, because " + lab + " cannot be written." << std::endl;
    }
}

nlohmann::json selection_json(const LabRuns& runs, const std::string& words) {
    const std::int64_t experiment = runs.selected.experiment;
    return {{"experiment",
             experiment == RunSelection::all_experiments ? nlohmann::json("all") : nlohmann::json(experiment)},
            {"unfinished", runs.selection.unfinished},
            {"excluded", runs.selection.excluded},
            {"split_by", runs.selection.split_by},
            {"words", words}};
}

struct FitFlags {
    bool fit = false;
    std::vector<std::string> predict;
    bool extrapolate = false;
};
// Fit of the compared loss, with predictions.
struct FittedLoss {
    TableLossFit fit;
    std::vector<LossPrediction> predictions;
};
void add_fit_options(CLI::App& verb, FitFlags& flags) {
    CLI::Option* fit = verb.add_flag(
        "--fit", flags.fit,
        "Also fit the compared loss against rotated fraction, number of parameters and number of training tokens "
        "(formula 38 of the guide). With --baseline, the fit uses the runs that agree with the baseline in all other "
        "settings");
    CLI::Option* predict =
        verb.add_option(
                "--predict", flags.predict,
                "Also print the loss that the fit predicts, with its 95 % interval, at a point within the range of the "
                "runs, such as fraction=25%,parameters=1M,tokens=10M; repeat the option for several points")
            ->needs(fit)
            ->allow_extra_args(false);
    verb.add_flag(
            "--extrapolate", flags.extrapolate,
            "Also print what the fit predicts at points outside the range of the runs; these predictions are marked")
        ->needs(predict);
}

// If `like_baseline`, only runs that agree with the baseline in settings without a term are fitted.
FittedLoss fitted_loss(const FitFlags& flags, const ResultsTable& table, std::span<const RunRecord> runs,
                       bool like_baseline) {
    std::vector<LossFitSource> sources;
    for (const RunRecord& record : runs) sources.push_back({stored_spec(record), record.state});
    LossFitChoice choice;
    if (like_baseline) choice.like = table.baseline;
    choice.how_to_choose = "Add --baseline key=value to fit only the runs with this value.";
    FittedLoss result{fit_table(table, sources, choice), {}};
    for (const std::string& text : flags.predict) {
        const LossPoint at = parse_loss_point(result.fit.fit, text);
        result.predictions.push_back(predict_loss(result.fit.fit, at, flags.extrapolate));
    }
    return result;
}

std::string fitted_text(const FittedLoss& fitted) {
    std::string result;
    for (const std::string& line : loss_fit_words(fitted.fit)) result += line + '\n';
    for (const LossPrediction& each : fitted.predictions) result += prediction_words(fitted.fit, each) + '\n';
    return result;
}

struct Flags {
    std::string lab;
    std::string format = "text";
    std::string compare = ResultsOptions{}.compare;
    std::vector<std::string> baseline;
    std::vector<std::string> merge;
    std::string test = "auto";
    std::string sort;
    std::string until;
    std::string data_dir;
    SelectionFlags runs;
    bool measure = false;
    bool lengths = false;
    bool generation = false;
    GenerationSpeed speed = sweep_generation;
    std::string mode = "recompute";
    FitFlags fit;
    std::string columns;
    std::string decide;
    bool best_bold = false;
    bool published = false;
    bool json = false;
};

// For predictions about the lab's sweeps, such as retrieval accuracy and loss beyond the context.
void measure_predicted(const Flags& flags) {
    watch_interrupts();
    const auto lab = LabFile::open(flags.lab);
    for (const StoredSheet& stored : stored_predictions(*lab)) {
        if (measure_runs(*lab, stored.experiment, stored.plan, flags.data_dir, open_engine, interrupted)) {
            continue;
        }
        throw std::runtime_error("Stopped. Run the same command again to resume from here.");
    }
}

// Every finished run, at multiples of its context.
void measure_lengths(const Flags& flags) {
    watch_interrupts();
    const auto lab = LabFile::open(flags.lab);
    SheetPlan plan;
    plan.extensions = {1, 2, 4};
    for (const ExperimentRecord& experiment : lab->experiments()) {
        if (!measure_runs(*lab, experiment.id, plan, flags.data_dir, open_engine, interrupted)) {
            throw std::runtime_error("Stopped. Run the same command again to resume from here.");
        }
    }
}

// Every finished run, at the settings of the flags.
void measure_generation_speeds(const Flags& flags) {
    GenerationSpeed settings = flags.speed;
    settings.mode = parse_generation_mode(flags.mode);
    watch_interrupts();
    const auto lab = LabFile::open(flags.lab);
    if (!measure_generations(*lab, settings, std::nullopt, open_engine, interrupted)) {
        throw std::runtime_error("Stopped. Run the same command again to resume from here.");
    }
}

// Throws BadInput if the format does not have a choice.
TableStyle style_of(const Flags& flags, const std::string& format) {
    TableStyle style;
    if (!flags.columns.empty()) style.columns = column_list(flags.columns);
    if (!style.columns.empty() && format == "json")
        throw BadInput("--columns applies to the formats text, csv and latex; JSON always contains all columns.");
    style.best_bold = flags.best_bold;
    if (style.best_bold && format != "latex") throw BadInput("--best-bold applies to --format latex only.");
    if (flags.published && format != "text") throw BadInput("--published applies to --format text only.");
    if (flags.fit.fit && (format == "csv" || format == "latex")) {
        throw BadInput("The fit is printed as text or JSON; use --format text or --format json.");
    }
    return style;
}

void merge_labs(const Flags& flags) {
    // Opens all labs first, so that an unreadable one is reported before anything is written.
    for (const std::string& other : flags.merge) stored_head_conversions(*LabFile::open(other, LabFile::Mode::read));
    const bool there = std::filesystem::exists(flags.lab);
    const auto lab = there ? LabFile::open(flags.lab) : LabFile::create(flags.lab);
    for (const std::string& other : flags.merge) {
        const int added = lab->merge(other);
        std::cerr << counted(added, "run") << " of " << other << " added"
                  << (added == 0 ? "; the lab file has its runs already." : ".") << std::endl;
    }
}

ResultsOptions options_of(const Flags& flags) {
    ResultsOptions options;
    options.compare = flags.compare;
    options.test = test_kind(flags.test);
    if (!flags.until.empty()) options.target_loss = parse_number(flags.until);
    options.baseline = baseline_settings(flags.baseline);
    return options;
}

struct Output {
    ResultsTable table;
    LabRuns runs;
    std::vector<SweepPredictions> sweeps;
    std::optional<FittedLoss> fitted;
    std::string generation;  // settings of the generation speeds; "" if there are none
    std::string words;       // which runs count
};

std::string text_of(const Output& output, const Flags& flags, const TableStyle& style, const DecisionChoice& decision) {
    const bool is_part =
        output.runs.experiments > 1 && output.runs.selected.experiment != RunSelection::all_experiments;
    return output.words + (is_part ? " Add --experiment all to include the other experiments." : "") + '\n' +
           results_text(output.table, style) + decision_text(output.table, decision) +
           (output.generation.empty() ? "" : output.generation + '\n') +
           (flags.published ? published_text(output.runs.selected_records()) : "") +
           (output.fitted ? fitted_text(*output.fitted) : "") +
           sweep_predictions_text(output.sweeps, "Add --measure to measure the quantities that the predictions need.");
}

nlohmann::json json_of(const Output& output, const DecisionChoice& decision) {
    nlohmann::json result = results_json(output.table);
    result["version"] = ROPELAB_VERSION;
    if (!output.generation.empty()) result["generation"] = output.generation;
    if (output.fitted) result["loss_fit"] = loss_fit_json(output.fitted->fit, output.fitted->predictions);
    result["decision_aid"] = decision_json(output.table, decision);
    result["selection"] = selection_json(output.runs, output.words);
    add_sweep_predictions(result, output.sweeps);
    return result;
}

void run(const Flags& flags) {
    if (flags.columns == "help") return print_text(column_help());
    if (flags.lab.empty()) throw BadInput("--lab is missing; name a lab file.");
    const std::string format = flags.json ? "json" : flags.format;
    check_table_format(format);
    const TableStyle style = style_of(flags, format);
    const DecisionChoice decision = decision_choice(flags.decide);
    if (!flags.merge.empty()) merge_labs(flags);
    if (!flags.data_dir.empty() && !flags.measure && !flags.lengths) {
        throw BadInput(
            "--data-dir applies to --measure and --measure-lengths only; add one of these flags, or leave out "
            "--data-dir.");
    }
    if (flags.measure) measure_predicted(flags);
    if (flags.lengths) measure_lengths(flags);
    if (flags.generation) measure_generation_speeds(flags);

    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    SelectionFlags chosen = flags.runs;
    chosen.merged = !flags.merge.empty();
    Output output;
    output.runs = lab_runs(*lab, selection_of(chosen, *lab));
    ResultsOptions options = options_of(flags);
    apply(output.runs.selection, options);
    output.table = results_table(result_runs(*lab, output.runs, options.target_loss.has_value()), options);
    if (flags.fit.fit) {
        output.fitted = fitted_loss(flags.fit, output.table, output.runs.selected_records(), !flags.baseline.empty());
    }
    flags.sort.empty() ? sort_by_settings(output.table) : sort_groups(output.table, flags.sort);
    output.words = output.runs.words(output.table);
    output.generation = generation_note(*lab);
    output.sweeps = selected_predictions(*lab, output.runs.selected);
    // A wrong column is an error before the selection is stored.
    std::string printed;
    if (format == "text") printed = text_of(output, flags, style, decision);
    if (format == "csv") printed = results_csv(output.table, style);
    if (format == "latex") {
        printed =
            "% " + output.words + '\n' + sweep_predictions_latex(output.sweeps) + results_latex(output.table, style);
    }
    if (chosen.changes()) remember(output.runs.selection, flags.lab);
    if (format == "json") return print_json(json_of(output, decision));
    print_text(printed);
}

}  // namespace

void add_results(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "results",
        "Print a table of the results of a lab file's runs: mean ± standard deviation over seeds, and significance "
        "tests. The seeds of a group share one data set, so intervals and p values do not generalise to other texts.");
    auto& flags = with_flags<Flags>(*verb, run);
    verb->add_option("--lab", flags.lab, "Lab file (required)");
    verb->add_option("--format", flags.format, "Output format: text, csv, latex or json")->capture_default_str();
    verb->add_option(
        "--columns", flags.columns,
        "Columns of the table in their order, such as settings,best_validation_loss,n, or a preset: short "
        "(default of the format text), paper or full (default of the others); \"--columns help\" lists all");
    verb->add_flag("--best-bold", flags.best_bold, "LaTeX format: print the best mean of each measure in bold");
    verb->add_flag("--published", flags.published,
                   "Text format: also print the losses that Huang et al. 2025 report, if data set and model are those "
                   "of the paper");
    verb->add_option("--compare", flags.compare,
                     "Quantity that the tests compare: " + joined(measures(), ", ", &Measure::name) +
                         "; auto means best_validation_loss, or whole_validation_loss if the groups are not evaluated "
                         "equally often on the same batches")
        ->capture_default_str();
    add_baseline(*verb, flags.baseline);
    add_test(*verb, flags.test);
    add_margin(*verb, flags.runs.margin);
    verb->add_option("--decide", flags.decide,
                     "Loss and cost (a speed or a cache size) in which settings are tested for Pareto dominance, "
                     "as LOSS,COST or one of them: " +
                         joined(decision_losses()) + ", " + joined(decision_costs(), ", ", &DecisionCost::name));
    verb->add_option(
        "--sort", flags.sort,
        "Column to sort by: the key of a swept setting, n (number of runs), a quantity of --compare, improvement, "
        "p_student, p_welch or p_paired; a minus sign sorts in descending order, such as --sort=-theta");
    verb->add_option("--until", flags.until,
                     "Also print the number of steps until this validation loss [nats per token] is reached");
    verb->add_option("--merge", flags.merge,
                     "Lab files whose runs are added to --lab before the results are printed, such as the lab files of "
                     "a cluster's jobs");
    verb->add_flag("--measure", flags.measure,
                   "Before printing, measure the quantities that predictions of theories need: retrieval accuracy and "
                   "length extrapolation");
    verb->add_flag("--measure-lengths", flags.lengths,
                   "Before printing, measure the loss of every finished run at 1, 2 and 4 times its context, for the "
                   "figure loss-by-length; models without a loss at 4 times the context, such as those with learned "
                   "positions, are left out");
    add_data_dir(*verb, flags.data_dir);
    CLI::Option* generation =
        verb->add_flag("--measure-generation", flags.generation,
                       "Before printing, measure the generation speed [tokens/s] of every finished run that has no "
                       "measurement at the given settings of generation. The runs are measured sequentially, seed by "
                       "seed, in an order that is sampled from the seed");
    verb->add_option("--generation-samples", flags.speed.samples,
                     "Generation speed: number of timed samples per run, after one sample as warm-up")
        ->needs(generation)
        ->capture_default_str();
    verb->add_option("--generation-length", flags.speed.length, "Generation speed: number of tokens per sample")
        ->needs(generation)
        ->capture_default_str();
    verb->add_option("--generation-temperature", flags.speed.temperature,
                     "Generation speed: sampling temperature; 0: always the most probable token")
        ->needs(generation)
        ->capture_default_str();
    verb->add_option("--generation-top-k", flags.speed.top_k,
                     "Generation speed: number of most probable tokens from which each token is sampled; 0: all tokens")
        ->needs(generation)
        ->capture_default_str();
    verb->add_option("--generation-mode", flags.mode,
                     "Generation speed: method beyond the context, recompute or rolling, as for sample --mode")
        ->needs(generation)
        ->capture_default_str();
    add_selection_options(*verb, flags.runs);
    add_fit_options(*verb, flags.fit);
    verb->add_flag("--json", flags.json, "Print the result as JSON")->excludes(verb->get_option("--format"));
}

}  // namespace ropelab::terminal
