#include "core/report/anatomy_report.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/contract/anatomy_times.h"
#include "core/data/corpus.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/forecast/likely_data.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/model_steps.h"
#include "core/interop/model_table.h"
#include "core/interop/opened_model.h"
#include "core/plan/step_cost.h"
#include "core/report/document.h"
#include "core/results/results_cells.h"
#include "core/run/checkpoint.h"
#include "core/settings/keys.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

// A word without "=" belongs to the value before it.
std::vector<std::pair<std::string, std::string>> assignments_in(std::string_view settings) {
    std::vector<std::pair<std::string, std::string>> result;
    std::istringstream words{std::string(settings)};
    for (std::string word; words >> word;) {
        const std::size_t sign = word.find('=');
        if (sign != std::string::npos) {
            result.emplace_back(word.substr(0, sign), word.substr(sign + 1));
        } else if (!result.empty()) {
            result.back().second += " " + word;
        } else {
            throw BadInput("The settings begin with \"" + word + "\", but a setting is written as layers=4.");
        }
    }
    return result;
}

// They change neither shapes nor counts, and their values may be lists.
bool is_without_stage(std::string_view key) {
    return key == "pairs" || key == "rotated_layers";
}

}  // namespace

AnatomyModel model_of_settings(const RunSpec& spec, std::int64_t vocabulary, std::string name) {
    if (vocabulary < 0 || vocabulary > 1 << 24) {
        throw BadInput("The vocabulary has " + std::to_string(vocabulary) +
                       " tokens, but it must have 1 to 16777216; 0 means the vocabulary of the data set.");
    }
    AnatomyModel model;
    model.spec = spec;
    model.vocabulary = vocabulary == 0 ? likely_vocabulary(spec) : vocabulary;
    model.anatomy = anatomy_of(spec, model.vocabulary);
    model.name = std::move(name);
    return model;
}

AnatomyModel model_of_text(std::string_view settings, std::int64_t vocabulary) {
    Experiment experiment("anatomy");
    for (const auto& [name, value] : assignments_in(settings)) {
        if (experiment.is_set(name)) throw BadInput("The setting " + name + " is given twice; give it once.");
        experiment.set(name, {value});
    }
    return model_of_settings(experiment.expand().front(), vocabulary, "settings");
}

AnatomyModel model_of_run(const LabFile& lab, RunId run) {
    const RunRecord record = lab.run(run);
    if (is_imported(record)) throw BadInput(no_model_words(record.name));
    const RunSpec spec = stored_spec(record);
    std::int64_t vocabulary = 0;
    if (const auto head = read_checkpoint_head(run_checkpoint(lab, record))) {
        vocabulary = Vocabulary::from_text(head->vocabulary).size();
    }
    return model_of_settings(spec, vocabulary, "run " + std::to_string(run));
}

AnatomyModel model_of_name(std::string_view name) {
    if (names_model_file(std::string(name))) {
        const OpenedModel opened(last_model(name));
        return {opened.name(), std::nullopt, 0, opened.plan().anatomy()};
    }
    const KnownModel& known = known_model(name);
    return {known.name, std::nullopt, 0, hf_anatomy(known.config)};
}

AnatomyModel model_of_config(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path config = std::filesystem::is_directory(file, error) ? file / "config.json" : file;
    const std::filesystem::path folder = std::filesystem::absolute(config).parent_path().filename();
    const bool is_config = config.filename() == "config.json" && !folder.empty();
    return {is_config ? folder.string() : config.filename().string(), std::nullopt, 0,
            hf_anatomy(load_model_config(config))};
}

std::string anatomy_settings(const RunSpec& spec) {
    const RunSpec defaults;
    std::string text;
    for (const Key& key : keys()) {
        const bool is_part =
            key.group == "model" || key.name == "batch" || key.name == "micro_batch" || key.name == "operations";
        if (!is_part || is_without_stage(key.name) || key.get(spec) == key.get(defaults)) continue;
        text += (text.empty() ? "" : " ") + std::string(key.name) + "=" + to_text(key.get(spec));
    }
    return text;
}

namespace {

using Cells = std::vector<std::string>;

std::string section_name(const AnatomySection& section) {
    return section.layers.empty() ? "" : section.title + " × " + std::to_string(section.repeats());
}

Cells total_cells(const AnatomyTotals& totals) {
    Cells cells = {"",
                   "Total",
                   "",
                   "",
                   known_parameters(totals.parameters, totals.active_parameters),
                   known_operations(totals.operations),
                   known_number(totals.cache_bytes_per_token)};
    if (totals.seconds) cells.push_back(milliseconds_text(*totals.seconds));
    return cells;
}

// Without the totals.
Table stage_table(const Anatomy& anatomy) {
    Table table = Table::titled(
        {"section", "stage", "shape", "size", "parameters", "FLOPs per token", "cache bytes per token"}, "llllr");
    if (!anatomy.times.empty()) table.columns.push_back({"ms per pass"});
    for (const AnatomySection& section : anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            table.rows.push_back({section_name(section), stage.title(), stage.symbols, stage.shape_text(),
                                  known_parameters(stage.parameters, stage.active_parameters()),
                                  known_operations(stage.operations), known_number(stage.cache_bytes_per_token)});
            if (!anatomy.times.empty()) table.rows.back().push_back(stage_time(stage));
        }
    }
    return table;
}

Table table_with_totals(const Anatomy& anatomy) {
    Table table = stage_table(anatomy);
    table.rows.push_back(total_cells(anatomy.totals()));
    return table;
}

// "B = 16 (sequences per batch), …".
std::string sizes_text(const Anatomy& anatomy) {
    return joined(anatomy.sizes, ", ", [](const AnatomySize& size) {
        return size.symbol + " = " + known_number(size.value) + " (" + size.meaning + ")";
    });
}

std::string stage_caption(const AnatomyModel& model) {
    std::string text =
        "Stages (operations) of the model" + (model.name.empty() ? "" : " (" + model.name + ")") +
        ", with numbers per layer and totals over all layers. FLOPs are those of a forward pass; norms, softmax, "
        "activation functions, rotations and sums are not counted. " +
        sizes_text(model.anatomy) + ".";
    for (const std::string& remark : times_remarks(model.anatomy)) text += " " + remark;
    return text;
}

std::string stages_as_text(const AnatomyModel& model) {
    std::string text = table_with_totals(model.anatomy).text();
    text += '\n' + sizes_text(model.anatomy) +
            "\nThe numbers of a stage (an operation) within a layer are those of one layer. FLOPs are those of a "
            "forward pass: 2·m·n·k for a product of an m×k and a k×n matrix; attention counts the keys that the mask "
            "leaves;\nnorms, softmax, activation functions, rotations and sums are not counted.\n";
    for (const std::string& remark : times_remarks(model.anatomy)) text += remark + '\n';
    for (const std::string& remark : model.anatomy.remarks) text += remark + '\n';
    return text;
}

std::string stages_as_csv(const AnatomyModel& model) {
    const auto number = [](const auto& value) { return value ? std::to_string(std::llround(*value)) : ""; };
    const bool has_times = !model.anatomy.times.empty();
    const std::string heads =
        "section,layers,stage,shape,size,parameters,active_parameters,flops_per_token,cache_bytes_per_token,"
        "state_bytes,formula";
    Table table = Table::titled(parts_of(heads + (has_times ? ",seconds_per_pass,time_within" : "")), "l");
    for (const AnatomySection& section : model.anatomy.sections) {
        const std::string layers = std::to_string(section.layers.empty() ? 0 : section.repeats());
        for (const AnatomyStage& stage : section.stages) {
            table.rows.push_back({section.title, layers, stage.title(), stage.symbols, stage.shape_text(),
                                  number(stage.parameters), number(stage.active_parameters()), number(stage.operations),
                                  number(stage.cache_bytes_per_token), std::to_string(stage.state_bytes),
                                  stage.formula});
            if (!has_times) continue;
            // The stage's time, or the stages whose time contains it.
            const bool is_within = !stage.seconds && !stage.within.empty();
            table.rows.back().push_back(csv_number(stage.seconds));
            table.rows.back().push_back(is_within ? stage_time(stage).substr(3) : "");
        }
    }
    const AnatomyTotals totals = model.anatomy.totals();
    table.rows.push_back({"", "", "Total", "", "", number(totals.parameters), number(totals.active_parameters),
                          number(totals.operations), number(totals.cache_bytes_per_token),
                          std::to_string(totals.state_bytes), ""});
    if (has_times) table.rows.back().insert(table.rows.back().end(), {csv_number(totals.seconds.value_or(0)), ""});
    return table.csv("\n");
}

std::string stages_as_latex(const AnatomyModel& model) {
    Table table = stage_table(model.anatomy);
    table.rows.emplace_back();
    table.rows.push_back(total_cells(model.anatomy.totals()));
    return table.with_cells(report_latex_text).latex({report_latex_text(stage_caption(model)), "tab:anatomy", ""});
}

std::string stages_as_markdown(const AnatomyModel& model) {
    ReportDocument document;
    document.title = "Anatomy" + (model.name.empty() ? "" : ": " + model.name);
    document.add(ReportTable{stage_caption(model), table_with_totals(model.anatomy)});
    if (!model.anatomy.remarks.empty()) document.add(ReportList{model.anatomy.remarks});
    return report_markdown(document);
}

nlohmann::json stage_json(const AnatomyStage& stage, bool has_times) {
    auto tensors = nlohmann::json::array();
    for (const Tensor& tensor : stage.tensors) tensors.push_back(tensor.name);
    nlohmann::json json = {{"id", stage.id},
                           {"name", stage.name},
                           {"kind", stage.kind},
                           {"shape", stage.symbols},
                           {"size", stage.shape.empty() ? nlohmann::json(nullptr) : nlohmann::json(stage.shape)},
                           {"parameters", or_null(stage.parameters)},
                           {"active_parameters", or_null(stage.active_parameters())},
                           {"flops_per_token", or_null(stage.operations)},
                           {"cache_bytes_per_token", or_null(stage.cache_bytes_per_token)},
                           {"state_bytes", stage.state_bytes},
                           {"formula", stage.formula},
                           {"settings", stage.settings},
                           {"tensors", tensors}};
    if (has_times) {
        json["seconds_per_pass"] = or_null(stage.seconds);
        json["time_within"] = stage.within;
    }
    return json;
}

nlohmann::json place_json(const StagePlace& place) {
    return {{"id", place.id}, {"layer", place.layer < 0 ? nlohmann::json(nullptr) : nlohmann::json(place.layer)}};
}

nlohmann::json times_json(const Anatomy& anatomy) {
    const StageTimes& times = anatomy.times;
    const auto time_json = [](const StageTime& each) {
        nlohmann::json entry = place_json(each.place);
        entry["seconds_per_pass"] = each.within ? nlohmann::json(nullptr) : nlohmann::json(each.seconds);
        entry["within"] = each.within ? place_json(*each.within) : nlohmann::json(nullptr);
        return entry;
    };
    return {{"sequences", times.sequences},
            {"tokens_per_sequence", times.length},
            {"passes", times.passes},
            {"precision", times.precision},
            {"device", times.device},
            {"seconds_of_whole_pass", times.whole},
            {"seconds_of_stages", or_null(anatomy.totals().seconds)},
            {"stages", json_list(times.stages, time_json)}};
}

}  // namespace

AnatomyFormat anatomy_format(const std::string& word) {
    return static_cast<AnatomyFormat>(choice_of(word, "a format of the table", {"text", "csv", "latex", "markdown"}));
}

std::string known_number(const std::optional<std::int64_t>& number) {
    return number ? grouped(*number) : "unknown";
}

std::string known_parameters(const std::optional<std::int64_t>& parameters, const std::optional<std::int64_t>& active) {
    const std::string text = known_number(parameters);
    return parameters == active ? text : text + " (" + known_number(active) + " active)";
}

std::string known_operations(const std::optional<double>& operations) {
    return operations ? grouped(std::llround(*operations)) : "unknown";
}

std::string anatomy_table(const AnatomyModel& model, AnatomyFormat format) {
    switch (format) {
        case AnatomyFormat::text:
            return stages_as_text(model);
        case AnatomyFormat::csv:
            return stages_as_csv(model);
        case AnatomyFormat::latex:
            return stages_as_latex(model);
        case AnatomyFormat::markdown:
            return stages_as_markdown(model);
    }
    return "";
}

nlohmann::json anatomy_json(const AnatomyModel& model) {
    const bool has_times = !model.anatomy.times.empty();
    const auto stage = [&](const AnatomyStage& each) { return stage_json(each, has_times); };
    const auto section = [&](const AnatomySection& each) -> nlohmann::json {
        return {{"title", each.title}, {"layers", each.layers}, {"stages", json_list(each.stages, stage)}};
    };
    nlohmann::json sizes;
    for (const AnatomySize& size : model.anatomy.sizes) sizes[size.symbol] = or_null(size.value);
    const AnatomyTotals totals = model.anatomy.totals();
    nlohmann::json json = {{"name", model.name},
                           {"sections", json_list(model.anatomy.sections, section)},
                           {"sizes", std::move(sizes)},
                           {"totals",
                            {{"parameters", or_null(totals.parameters)},
                             {"active_parameters", or_null(totals.active_parameters)},
                             {"flops_per_token", or_null(totals.operations)},
                             {"cache_bytes_per_token", or_null(totals.cache_bytes_per_token)},
                             {"state_bytes", totals.state_bytes}}},
                           {"remarks", model.anatomy.remarks}};
    if (has_times) json["times"] = times_json(model.anatomy);
    return json;
}

}  // namespace ropelab
