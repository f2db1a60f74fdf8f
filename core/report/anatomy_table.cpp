#include "core/report/anatomy_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/plan/anatomy_times.h"
#include "core/report/document.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

using Cells = std::vector<std::string>;

Cells stage_heads(const Anatomy& anatomy) {
    Cells heads = {"section", "stage", "shape", "size", "parameters", "FLOPs per token", "cache bytes per token"};
    if (!anatomy.times.empty()) heads.emplace_back("ms per pass");
    return heads;
}

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
                   known_number(totals.cache_bytes)};
    if (totals.seconds) cells.push_back(milliseconds_text(*totals.seconds));
    return cells;
}

std::vector<Cells> stage_rows(const Anatomy& anatomy) {
    std::vector<Cells> rows;
    for (const AnatomySection& section : anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            rows.push_back({section_name(section), stage.title(), stage.symbols, stage.shape_text(),
                            known_parameters(stage.parameters, stage.active_parameters()),
                            known_operations(stage.operations), known_number(stage.cache_bytes)});
            if (!anatomy.times.empty()) rows.back().push_back(stage_time(stage));
        }
    }
    rows.push_back(total_cells(anatomy.totals()));
    return rows;
}

// Returns the meaning of the symbols: "B = 16 sequences per batch, …".
std::string sizes_text(const Anatomy& anatomy) {
    std::string text;
    for (const AnatomySize& size : anatomy.sizes) {
        text += (text.empty() ? "" : ", ") + size.symbol + " = " + known_number(size.value) + " (" + size.meaning + ")";
    }
    return text;
}

std::string stage_caption(const AnatomyModel& model) {
    std::string text =
        "Stages of the model" + (model.name.empty() ? "" : " (" + model.name + ")") +
        ", with numbers per layer and totals over all layers. FLOPs are those of a forward pass; norms, softmax, "
        "activation functions, rotations and sums are not counted. " +
        sizes_text(model.anatomy) + ".";
    for (const std::string& remark : times_remarks(model.anatomy)) text += " " + remark;
    return text;
}

std::string stages_as_text(const AnatomyModel& model) {
    std::vector<Cells> rows = {stage_heads(model.anatomy)};
    for (Cells& row : stage_rows(model.anatomy)) rows.push_back(std::move(row));
    std::string text = aligned_text(rows, "llllr");
    text += '\n' + sizes_text(model.anatomy) +
            "\nNumbers of a stage in a layer are those of one layer. FLOPs are those of a forward pass: 2·m·n·k for a "
            "product; attention counts the keys that the mask leaves;\nnorms, softmax, activation functions, rotations "
            "and sums are not counted.\n";
    for (const std::string& remark : times_remarks(model.anatomy)) text += remark + '\n';
    for (const std::string& remark : model.anatomy.remarks) text += remark + '\n';
    return text;
}

// Returns the last fields of a stage's line: its time, and the stages whose time contains it.
std::string time_fields(const AnatomyStage& stage) {
    return ',' + (stage.seconds ? number_text(*stage.seconds) : "") + ',' +
           csv_field(stage.seconds || stage.within.empty() ? "" : stage_time(stage).substr(3));
}

std::string stages_as_csv(const AnatomyModel& model) {
    const auto number = [](const auto& value) { return value ? std::to_string(std::llround(*value)) : ""; };
    const bool has_times = !model.anatomy.times.empty();
    std::string text =
        "section,layers,stage,shape,size,parameters,active_parameters,flops_per_token,cache_bytes_per_token,"
        "state_bytes,formula";
    text += has_times ? ",seconds_per_pass,time_within\n" : "\n";
    for (const AnatomySection& section : model.anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            text += csv_field(section.title) + ',' + std::to_string(section.layers.empty() ? 0 : section.repeats()) +
                    ',' + csv_field(stage.title()) + ',' + csv_field(stage.symbols) + ',' +
                    csv_field(stage.shape_text()) + ',' + number(stage.parameters) + ',' +
                    number(stage.active_parameters()) + ',' + number(stage.operations) + ',' +
                    number(stage.cache_bytes) + ',' + std::to_string(stage.state_bytes) + ',' +
                    csv_field(stage.formula) + (has_times ? time_fields(stage) : "") + '\n';
        }
    }
    const AnatomyTotals totals = model.anatomy.totals();
    return text + ",,Total,,," + number(totals.parameters) + ',' + number(totals.active_parameters) + ',' +
           number(totals.operations) + ',' + number(totals.cache_bytes) + ',' + std::to_string(totals.state_bytes) +
           "," + (has_times ? ',' + number_text(totals.seconds.value_or(0)) + ',' : "") + '\n';
}

std::string stages_as_latex(const AnatomyModel& model) {
    const auto line = [](const Cells& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : " & ") + report_latex_text(cells[i]);
        return text + " \\\\\n";
    };
    LatexTable table;
    const Cells heads = stage_heads(model.anatomy);
    table.alignment = "llll" + std::string(heads.size() - 4, 'r');
    table.lines = line(heads) + "\\midrule\n";
    const std::vector<Cells> rows = stage_rows(model.anatomy);
    for (const Cells& row : rows) table.lines += (&row == &rows.back() ? "\\midrule\n" : "") + line(row);
    table.caption = report_latex_text(stage_caption(model));
    table.label = "tab:anatomy";
    return latex_table(table);
}

std::string stages_as_markdown(const AnatomyModel& model) {
    ReportDocument document;
    document.title = "Anatomy" + (model.name.empty() ? "" : ": " + model.name);
    document.blocks.emplace_back(
        ReportTable{stage_caption(model), stage_heads(model.anatomy), stage_rows(model.anatomy)});
    if (!model.anatomy.remarks.empty()) document.blocks.emplace_back(ReportList{model.anatomy.remarks});
    return report_markdown(document);
}

template <typename Number>
nlohmann::json number_json(const std::optional<Number>& number) {
    return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

nlohmann::json stage_json(const AnatomyStage& stage, bool has_times) {
    nlohmann::json json = {{"id", stage.id},
                           {"name", stage.name},
                           {"kind", stage.kind},
                           {"shape", stage.symbols},
                           {"size", stage.shape.empty() ? nlohmann::json(nullptr) : nlohmann::json(stage.shape)},
                           {"parameters", number_json(stage.parameters)},
                           {"active_parameters", number_json(stage.active_parameters())},
                           {"flops_per_token", number_json(stage.operations)},
                           {"cache_bytes_per_token", number_json(stage.cache_bytes)},
                           {"state_bytes", stage.state_bytes},
                           {"formula", stage.formula},
                           {"settings", stage.settings},
                           {"tensors", stage.tensors}};
    if (has_times) {
        json["seconds_per_pass"] = number_json(stage.seconds);
        json["time_within"] = stage.within;
    }
    return json;
}

nlohmann::json place_json(const StagePlace& place) {
    return {{"id", place.id}, {"layer", place.layer < 0 ? nlohmann::json(nullptr) : nlohmann::json(place.layer)}};
}

nlohmann::json times_json(const Anatomy& anatomy) {
    const StageTimes& times = anatomy.times;
    nlohmann::json stages = nlohmann::json::array();
    for (const StageTime& each : times.stages) {
        nlohmann::json entry = place_json(each.place);
        entry["seconds_per_pass"] = each.within ? nlohmann::json(nullptr) : nlohmann::json(each.seconds);
        entry["within"] = each.within ? place_json(*each.within) : nlohmann::json(nullptr);
        stages.push_back(std::move(entry));
    }
    return {{"sequences", times.sequences},
            {"tokens_per_sequence", times.length},
            {"passes", times.passes},
            {"precision", times.precision},
            {"device", times.device},
            {"seconds_of_whole_pass", times.whole},
            {"seconds_of_stages", number_json(anatomy.totals().seconds)},
            {"stages", std::move(stages)}};
}

}  // namespace

AnatomyFormat anatomy_format(std::string_view word) {
    static constexpr std::array<std::string_view, 4> words = {"text", "csv", "latex", "markdown"};
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
        throw BadInput("\"" + std::string(word) +
                       "\" is not a format of the table; it must be text, csv, latex or "
                       "markdown.");
    }
    return static_cast<AnatomyFormat>(found - words.begin());
}

std::string grouped_number(std::int64_t number) {
    std::string digits = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string known_number(const std::optional<std::int64_t>& number) {
    return number ? grouped_number(*number) : "unknown";
}

std::string known_parameters(const std::optional<std::int64_t>& parameters, const std::optional<std::int64_t>& active) {
    const std::string text = known_number(parameters);
    return parameters == active ? text : text + " (" + known_number(active) + " active)";
}

std::string known_operations(const std::optional<double>& operations) {
    return operations ? grouped_number(std::llround(*operations)) : "unknown";
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
    nlohmann::json sections = nlohmann::json::array();
    for (const AnatomySection& section : model.anatomy.sections) {
        nlohmann::json stages = nlohmann::json::array();
        for (const AnatomyStage& stage : section.stages) {
            stages.push_back(stage_json(stage, !model.anatomy.times.empty()));
        }
        sections.push_back({{"title", section.title}, {"layers", section.layers}, {"stages", std::move(stages)}});
    }
    nlohmann::json sizes;
    for (const AnatomySize& size : model.anatomy.sizes) sizes[size.symbol] = number_json(size.value);
    const AnatomyTotals totals = model.anatomy.totals();
    nlohmann::json json = {{"name", model.name},
                           {"sections", std::move(sections)},
                           {"sizes", std::move(sizes)},
                           {"totals",
                            {{"parameters", number_json(totals.parameters)},
                             {"active_parameters", number_json(totals.active_parameters)},
                             {"flops_per_token", number_json(totals.operations)},
                             {"cache_bytes_per_token", number_json(totals.cache_bytes)},
                             {"state_bytes", totals.state_bytes}}},
                           {"remarks", model.anatomy.remarks}};
    if (!model.anatomy.times.empty()) json["times"] = times_json(model.anatomy);
    return json;
}

}  // namespace ropelab
