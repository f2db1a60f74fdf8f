#include "core/report/lab_report.h"

#include <algorithm>
#include <set>

#include "core/data/json_text.h"
#include "core/reproduce/report.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheet_lab.h"
#include "core/results/across_texts.h"
#include "core/results/fits/theta_curve.h"
#include "core/results/interactions.h"
#include "core/results/results_cells.h"
#include "core/store/imported.h"
#include "core/store/output_file.h"
#include "core/study/head_conversion.h"
#include "core/sweep/lab_growth.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/search.h"
#include "core/sweep/slurm.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

struct ReportSource {
    const LabFile& lab;
    LabRuns runs;
    std::vector<RunSpec> specs;  // of all runs that RoPE Lab trained
    ResultsTable table;          // of the selected runs
    std::optional<StoredSheet> sheet;
};

// As the lab stores it; all runs if it stores none, or an experiment without runs.
RunSelection report_selection(const LabFile& lab) {
    RunSelection selection = stored_selection(lab);
    const std::vector<RunRecord> records = lab.runs();
    const bool has_runs = selection.experiment == RunSelection::latest_experiment ||
                          std::any_of(records.begin(), records.end(), [&](const RunRecord& record) {
                              return record.experiment == selection.experiment;
                          });
    if (lab.choice(selection_choice).empty() || !has_runs) selection.experiment = RunSelection::all_experiments;
    return selection;
}

ReportSource report_source(const LabFile& lab, ResultsOptions options) {
    ReportSource source{lab, lab_runs(lab, report_selection(lab)), {}, {}, stored_sheet(lab)};
    for (const RunRecord& record : source.runs.records) {
        if (!is_imported(record)) source.specs.push_back(stored_spec(record));
    }
    apply(source.runs.selection, options);
    source.table = results_table(result_runs(lab, source.runs, options.target_loss.has_value()), options);
    return source;
}

std::vector<std::string> values_of_setting(const ReportSource& source, const Key& key) {
    std::vector<std::string> values;
    for (const RunSpec& spec : source.specs) {
        const std::string value = to_text(key.get(spec));
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return values;
}

bool is_swept(const ReportSource& source, const std::string& name) {
    const std::vector<std::string>& swept = source.table.swept;
    return std::find(swept.begin(), swept.end(), name) != swept.end();
}

void add_overview(ReportDocument& document, const ReportSource& source, const ReportOptions& options) {
    const auto state_words = [](const auto& state) { return std::to_string(state.second) + " " + state.first; };
    std::map<std::string, int> states;
    for (const RunRecord& record : source.runs.records) ++states[to_string(record.state)];
    document.add(ReportParagraph{"This report describes the lab file " + source.lab.path().filename().string() + ": " +
                                 counted(source.runs.records.size(), "run") + " (" + joined(states, ", ", state_words) +
                                 "). RoPE Lab " + options.version + " wrote it on " + options.date + " (UTC)."});
    for (const ExperimentRecord& experiment : source.lab.experiments()) {
        const bool extends = source.lab.document(experiment.id, extension_document).has_value();
        const auto runs = std::count_if(source.runs.records.begin(), source.runs.records.end(),
                                        [&](const RunRecord& record) { return record.experiment == experiment.id; });
        document.add(ReportParagraph{"Experiment " + std::to_string(experiment.id) + ", \"" + experiment.name + "\", " +
                                     (extends ? "which adds runs to the lab file, " : "") + "was started on " +
                                     experiment.created + " and has " + counted(runs, "run") + "."});
        if (const auto search = source.lab.document(experiment.id, search_document)) {
            document.add(ReportParagraph{
                "The search of this experiment was fixed before the first run: " + search_words(*search) + "."});
        }
    }
}

void add_settings(ReportDocument& document, const ReportSource& source) {
    document.add(ReportHeading{1, "Settings"});
    Table swept = Table::titled({"setting", "values", "unit", "meaning"}, "l");
    Table shared = Table::titled({"setting", "value", "default", "unit"}, "l");
    for (const Key& key : keys()) {
        const std::vector<std::string> values = values_of_setting(source, key);
        const std::string name(key.name);
        const std::string unit(key.unit);
        if (values.empty()) {  // all runs were imported
            const auto known = source.table.shared.find(name);
            if (known != source.table.shared.end())
                shared.rows.push_back({name, setting_text(known->second), "", unit});
        } else if (values.size() > 1) {
            swept.rows.push_back({name, joined(values), unit, std::string(key.meaning)});
        } else {
            shared.rows.push_back({name, values.front(), to_text(key.get(RunSpec{})), unit});
        }
    }
    // The table of results has the settings of imported runs.
    const bool is_mixed = !source.specs.empty() && source.specs.size() < source.runs.records.size();
    const std::string runs = is_mixed ? "runs that RoPE Lab trained" : "runs";
    if (!swept.rows.empty()) document.add(ReportTable{"Settings in which the " + runs + " differ.", swept});
    document.add(ReportTable{"Settings that all " + runs + " share.", shared});
}

void add_data(ReportDocument& document, const ReportSource& source) {
    document.add(ReportHeading{1, "Data"});
    Table texts = Table::titled({"text", "bytes", "SHA-256"}, "l");
    std::set<std::string> known;
    for (const RunRecord& record : source.runs.records) {
        if (!record.text || !known.insert(record.text->name + record.text->sha256).second) continue;
        texts.rows.push_back({record.text->name, std::to_string(record.text->bytes), record.text->sha256});
    }
    if (texts.rows.empty()) {
        document.add(ReportParagraph{"The lab file stores no checksum of a text, because no run has started."});
    } else {
        document.add(ReportTable{"Texts on which the runs train.", texts});
    }
}

void add_environment(ReportDocument& document, const ReportSource& source, const ReportOptions& options) {
    document.add(ReportHeading{1, "Environment"});
    std::map<std::vector<std::string>, int> counts;
    for (const RunRecord& record : source.runs.records) {
        if (!record.conditions) continue;
        const RunConditions& conditions = *record.conditions;
        ++counts[{conditions.device, conditions.precision, std::to_string(conditions.threads),
                  conditions.graphs.empty() ? missing_cell : conditions.graphs, conditions.reason}];
    }
    Table table = Table::titled({"runs", "device", "precision", "threads", "CUDA graphs", "choice"}, "l");
    for (const auto& [conditions, count] : counts) {
        std::vector<std::string> row = {std::to_string(count)};
        row.insert(row.end(), conditions.begin(), conditions.end());
        table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty()) document.add(ReportTable{"Conditions under which the runs were trained.", table});
    document.add(ReportParagraph{options.machine +
                                 " The lab file does not store the processor on which its runs were trained."});
}

void add_results_part(ReportDocument& document, const ReportSource& source) {
    const ResultsTable& table = source.table;
    document.add(ReportHeading{1, "Results"});
    document.add(ReportParagraph{source.runs.words(table)});
    const TableStyle style{{"paper"}, false};
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::text, style);
    document.add(ReportTable{caption_words(table) + " " + mark_legend(), results_cells(table, columns),
                             results_latex(table, style)});
    ReportList notes{table_notes(table, columns)};
    if (const std::string generation = generation_note(source.lab); !generation.empty())
        notes.items.push_back(generation);
    document.add(std::move(notes));
    ReportList verdicts;
    for (const ResultGroup& group : table.groups) {
        if (table.groups.size() < 2 || table.is_baseline(group)) continue;
        verdicts.items.push_back(group_label(table, group) + ": " + verdict_of(table, group).words);
    }
    for (const AcrossTexts& across : across_texts(table)) verdicts.items.push_back(across_words(table, across));
    if (const std::string words = interaction_words(table, interactions(table)); !words.empty())
        verdicts.items.push_back(words);
    for (const ThetaCurve& curve : theta_curves(table)) verdicts.items.push_back(theta_curve_words(table, curve));
    for (const std::string& optimum : optimum_words(table)) verdicts.items.push_back(optimum);
    if (verdicts.items.empty()) return;
    document.add(ReportHeading{2, "Verdicts"});
    document.add(std::move(verdicts));
}

void add_sheet_part(ReportDocument& document, const ReportSource& source) {
    if (!source.sheet) return;
    const SheetPlan& plan = source.sheet->plan;
    const auto runs = sheet_runs(source.lab, source.sheet->experiment);
    const auto rows = evaluate(plan, runs);
    document.add(ReportHeading{1, "Reproduction sheet: " + plan.title});
    document.add(ReportParagraph{plan.source});
    ReportList claims;
    const auto verdicts = claim_verdicts(plan, rows);
    for (std::size_t i = 0; i < plan.claims.size(); ++i) {
        claims.items.push_back("Claim " + std::to_string(i + 1) + ": " + plan.claims[i].words + " " +
                               verdicts[i].words);
    }
    document.add(std::move(claims));
    document.add(ReportCode{sheet_text(plan, rows, score(plan, runs)), sheet_latex(plan, rows)});
    document.add(ReportHeading{2, "Rules"});
    document.add(ReportList{rules_of(plan)});
}

void add_predictions_part(ReportDocument& document, const ReportSource& source) {
    ReportList list;
    for (const SweepPredictions& sweep : sweep_predictions_of(source.lab)) {
        for (const ScoredPrediction& each : sweep.predictions) {
            if (each.outcome == ScoredPrediction::Outcome::unmeasured) continue;
            list.items.push_back(each.prediction.theory + ", " + each.prediction.quantity + ": " +
                                 each.prediction.words + " Outcome: " + to_string(each.outcome) + ". " + each.words);
        }
        for (const std::string& words : unscored_words(sweep.predictions)) list.items.push_back(words);
    }
    if (list.items.empty()) return;
    document.add(ReportHeading{1, "Preregistered predictions"});
    document.add(std::move(list));
}

void add_conversions(ReportDocument& document, const ReportSource& source) {
    Table table = Table::titled({"run", "step", "heads", "loss before", "loss mean-pooled", "further steps",
                                 "loss after", "rise (95 % interval)", "KV cache"},
                                "l");
    for (const auto& [run, created, result] : stored_head_conversions(source.lab)) {
        const Description& rise = result.steps > 0 ? result.trained_rise : result.pooled_rise;
        table.rows.push_back(
            {std::to_string(run), std::to_string(result.iteration),
             std::to_string(result.heads_before) + " → " + std::to_string(result.conversion.key_value_heads),
             fixed_text(result.loss_before, 4), fixed_text(result.loss_pooled, 4), std::to_string(result.steps),
             result.steps > 0 ? fixed_text(result.loss_trained, 4) : missing_cell,
             fixed_text(rise.mean, 4) + " (" + fixed_text(rise.confidence_low, 4) + " to " +
                 fixed_text(rise.confidence_high, 4) + ")",
             std::to_string(result.cache_before) + " → " + std::to_string(result.cache_after)});
    }
    if (table.rows.empty()) return;
    document.add(ReportHeading{2, "Conversions to fewer key and value heads"});
    document.add(
        ReportTable{"Copies of runs in which groups of key and value heads were replaced by their means (mean "
                    "pooling), and which were trained further. Losses on the same sequences of the validation split in "
                    "nats per token; sizes of the KV cache in bytes.",
                    table});
}

void add_runs_part(ReportDocument& document, const ReportSource& source) {
    document.add(ReportHeading{1, "Runs"});
    Table table = Table::titled(
        {"run", "name", "state", "iterations", "best val. loss", "whole val. loss", "test loss", "time"}, "l");
    for (const RunRecord& record : source.runs.records) {
        const RunSummary summary = record.summary.value_or(RunSummary{});
        table.rows.push_back({std::to_string(record.id), record.name, to_string(record.state),
                              std::to_string(record.iteration), fixed_text(summary.best_validation_loss, 4),
                              fixed_text(summary.whole_validation_loss.value_or(RunSummary::unknown), 4),
                              fixed_text(summary.test_loss.value_or(RunSummary::unknown), 4),
                              fixed_text(record.summary ? summary.seconds : RunSummary::unknown, 1)});
    }
    const bool has_imported = source.specs.size() < source.runs.records.size();
    document.add(ReportTable{"All runs of the lab file. Losses are in nats per token" +
                                 std::string(has_imported ? " (of imported runs in the unit of their program)" : "") +
                                 ", times in seconds per run.",
                             table});
    ReportList remarks;
    for (const RunRecord& record : source.runs.records) {
        if (!record.message.empty())
            remarks.items.push_back("Run " + std::to_string(record.id) + ": " + record.message);
        if (!record.note.empty()) {
            remarks.items.push_back("Run " + std::to_string(record.id) + ", note: " + record.note);
        }
    }
    if (!remarks.items.empty()) document.add(std::move(remarks));
    add_conversions(document, source);
}

bool shows_results(const std::string& figure) {
    return figure.starts_with("loss-by") || figure == "improvement" || figure == "group-means";
}

std::string figure_caption(const std::string& name, const ReportSource& source) {
    static const std::map<std::string, std::string> captions = {
        {"validation-loss", "Validation loss of the runs during training."},
        {"training-loss", "Training loss of the runs."},
        {"group-means", "Mean of each group of runs with its 95 % interval over seeds."},
        {"improvement", "Improvement of each group over the baseline with its 95 % interval."},
        {"loss-by-theta", "Loss against θ."},
        {"loss-by-fraction", "Loss against the rotated fraction."},
        {"loss-by-context", "Loss against the context length."},
        {"forest-plot",
         "Differences between group and baseline, with 95 % intervals, in each row of the reproduction, and the "
         "published differences."},
    };
    return captions.at(name) +
           (shows_results(name) ? " Quantity: " + std::string(measures()[source.table.compared].title) + "." : "");
}

void add_figures_part(ReportDocument& document, const ReportSource& source, const ReportOptions& options) {
    if (options.figures.empty() && options.figure_problem.empty()) return;
    document.add(ReportHeading{1, "Figures"});
    if (!options.figure_problem.empty()) document.add(ReportParagraph{options.figure_problem});
    for (const std::string& name : options.figures) {
        document.add(ReportFigure{name, figure_caption(name, source)});
    }
}

// Quotes only if necessary.
std::string shell_word(const std::string& text) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_=.,/:+%").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
    return shell_quoted(text);
}

std::string experiment_file_name(std::int64_t experiment) {
    return "experiment-" + std::to_string(experiment) + ".json";
}

// For `results` and `figure`: runs, baseline, measure and test of the report's table.
std::vector<std::string> result_flags(const LabRuns& runs, const ResultsOptions& options) {
    std::vector<std::string> flags;
    const auto add = [&](const char* flag, const std::string& value) { flags.insert(flags.end(), {flag, value}); };
    if (runs.experiments > 1) {
        const bool all = runs.selected.experiment == RunSelection::all_experiments;
        add("--experiment", all ? "all" : std::to_string(runs.selected.experiment));
    }
    if (runs.selection.unfinished) flags.emplace_back("--unfinished");
    if (!runs.selection.split_by.empty()) add("--split-by", joined(runs.selection.split_by, ","));
    for (const RunId run : runs.selection.excluded) add("--exclude-run", std::to_string(run));
    for (const auto& [name, value] : options.baseline) add("--baseline", name + "=" + value);
    if (options.compare != ResultsOptions{}.compare) add("--compare", options.compare);
    if (options.test) add("--test", to_string(*options.test));
    const std::string& margin = options.margin.empty() ? runs.selection.margin : options.margin;
    if (!margin.empty()) add("--margin", margin);
    return flags;
}

// A space comes before each.
std::string shell_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += " " + shell_word(word);
    return text;
}

void add_commands(ReportDocument& document, const ReportSource& source, const ReportOptions& options) {
    const std::string lab = shell_word(source.lab.path().filename().string());
    document.add(ReportHeading{1, "Commands that repeat the runs of this lab file"});
    if (!source.specs.empty()) {
        document.add(ReportParagraph{
            "These commands, run in the folder of this report, train the runs of the lab file again and print their "
            "results. In float32 on one CPU, the losses are bit-identical; elsewhere the last bits may differ."});
    }
    bool has_imported = false, has_opened = false;
    for (const RunRecord& record : source.runs.records) {
        if (!is_imported(record)) continue;
        const bool is_opened = imported_from(parse_bounded(record.settings, nullptr, false)) == "opened model";
        (is_opened ? has_opened : has_imported) = true;
    }
    if (has_imported) {
        document.add(ReportParagraph{
            "Imported runs cannot be trained again: the command import reads them from the files in their notes."});
    }
    if (has_opened) {
        document.add(ReportParagraph{
            "Models that others trained were only measured: \"ropelab-cli probe --model FOLDER --store " + lab +
            "\" measures them again, with the folder of the model."});
    }
    std::string commands;
    bool first = true;
    for (const ExperimentRecord& experiment : source.lab.experiments()) {
        if (source.lab.document(experiment.id, sheet_document) || experiment.name == imported_experiment) continue;
        const auto extension = source.lab.document(experiment.id, extension_document);
        const bool continues = extension && extension->find("\"from\"") != std::string::npos;
        // A second experiment is added to the lab with --resume, and its runs begin anew unless they continued others.
        const auto rule = stored_stopping_rule(source.lab, experiment.id);
        const Halving* halving = halving_in(rule);
        const SequentialDesign* design = sequential_in(rule);
        const bool has_looks = design && !design->looks.empty();
        commands += "ropelab-cli sweep --experiment " + experiment_file_name(experiment.id) + " --lab " + lab +
                    (first       ? ""
                     : continues ? " --resume"
                                 : " --resume --anew") +
                    (halving ? " --search halving --first-rung " + std::to_string(halving->first_rung) : "") +
                    (has_looks ? " --until-decided --looks " +
                                     joined(design->looks, ",", [](auto look) { return std::to_string(look); })
                     : design ? " --until-decided --max-seeds " + std::to_string(design->cap)
                              : "") +
                    (design && design->target ? " --target-loss " + number_text(*design->target) + " --target-error " +
                                                    number_text(design->alpha)
                                              : "") +
                    '\n';
        first = false;
    }
    if (source.sheet) {
        const SheetPlan& plan = source.sheet->plan;
        commands += "ropelab-cli reproduce " + plan.sheet + " --scale " + to_string(plan.scale) +
                    (plan.stopping ? " --sequential" : "") +
                    (std::ranges::any_of(plan.rows, &PlannedRow::tuned) ? " --tune-baselines" : "") +
                    (plan.stopping && plan.stopping->looks.empty() ? " --max-seeds " : " --seeds ") +
                    std::to_string(plan.experiment.values("seed").size()) + " --lab " + lab + '\n';
    }
    const std::string flags = shell_words(result_flags(source.runs, options.results));
    commands += "ropelab-cli results --lab " + lab + flags + '\n';
    for (const std::string& name : options.figures) {
        commands += "ropelab-cli figure " + name + " --lab " + lab + " --output " + name + ".pdf" +
                    (shows_results(name) ? flags : "") + '\n';
    }
    // The command `results` stores the choice of runs, which `report` uses.
    commands +=
        "ropelab-cli report --lab " + lab + " --output report" + shell_words(result_flags({}, options.results)) + '\n';
    document.add(ReportCode{commands});
    for (const auto& [name, text] : experiment_files(source.lab)) {
        document.add(ReportParagraph{"The file " + name + " contains:"});
        document.add(ReportCode{text});
    }
}

}  // namespace

std::vector<std::string> suitable_figures(const LabFile& lab, const ResultsOptions& results) {
    const ReportSource source = report_source(lab, results);
    std::vector<std::string> names;
    const bool has_metrics = std::any_of(source.runs.records.begin(), source.runs.records.end(),
                                         [](const RunRecord& record) { return record.iteration > 0; });
    if (has_metrics) names = {"validation-loss", "training-loss"};
    const auto counted_groups = std::count_if(source.table.groups.begin(), source.table.groups.end(),
                                              [](const ResultGroup& group) { return !group.counted.empty(); });
    if (counted_groups > 1) {
        names.insert(names.end(), {"group-means", "improvement"});
        for (const auto& [setting, name] :
             {std::pair("theta", "loss-by-theta"), std::pair("fraction", "loss-by-fraction"),
              std::pair("context", "loss-by-context")}) {
            if (is_swept(source, setting)) names.emplace_back(name);
        }
    }
    if (source.sheet) names.emplace_back("forest-plot");
    return names;
}

std::vector<std::string> figure_flags(const LabFile& lab, const std::vector<std::string>& figures,
                                      const ResultsOptions& results) {
    if (std::none_of(figures.begin(), figures.end(), shows_results)) return {};
    return result_flags(lab_runs(lab, report_selection(lab)), results);
}

std::map<std::string, std::string> experiment_files(const LabFile& lab) {
    std::map<std::string, std::string> files;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        if (lab.document(experiment.id, sheet_document) || experiment.name == imported_experiment) continue;
        // Written again, so that earlier names of settings are current ones.
        files[experiment_file_name(experiment.id)] =
            Experiment::from_text(experiment.description).to_json().dump(4) + '\n';
    }
    return files;
}

ReportDocument lab_report(const LabFile& lab, const ReportOptions& options) {
    const ReportSource source = report_source(lab, options.results);
    ReportDocument document{"Report of the lab file " + lab.path().stem().string(), {}};
    add_overview(document, source, options);
    add_settings(document, source);
    add_data(document, source);
    add_environment(document, source, options);
    add_results_part(document, source);
    add_sheet_part(document, source);
    add_predictions_part(document, source);
    add_figures_part(document, source, options);
    add_runs_part(document, source);
    add_commands(document, source, options);
    return document;
}

void write_report(const std::filesystem::path& folder, const LabFile& lab, const ReportOptions& options) {
    const ReportDocument document = lab_report(lab, options);
    write_output(folder / "report.md", report_markdown(document));
    write_output(folder / "report.html", report_html(document));
    write_output(folder / "report.tex", report_latex(document));
    for (const auto& [name, text] : experiment_files(lab)) write_output(folder / name, text);
}

}  // namespace ropelab
