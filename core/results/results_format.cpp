#include <algorithm>
#include <set>

#include "core/data/json_text.h"
#include "core/results/across_texts.h"
#include "core/results/fits/theta_curve.h"
#include "core/results/interactions.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/results/results_table.h"

namespace ropelab {

namespace {

bool has_marks(const std::vector<ResultsColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ResultsColumn& column) { return column.chosen_name() == "mark"; });
}

// Within the same data set. Means that are printed alike are equally good.
bool is_best(const ResultsTable& table, const ResultGroup& group, std::size_t measure) {
    const Measure& known = measures()[measure];
    const double mean = group.described[measure].mean;
    const auto has_other_seeds = [&](const ResultGroup& other) {
        return same_data(other, group, measure) &&
               std::set(other.seeds.begin(), other.seeds.end()) != std::set(group.seeds.begin(), group.seeds.end());
    };
    if (std::ranges::any_of(table.groups, has_other_seeds)) return false;  // their means are no comparison
    if (group.described[measure].n == 0 || table.groups.size() < 2) return false;
    return std::none_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& other) {
        const double theirs = other.described[measure].mean;
        const bool is_better = known.more_is_better ? theirs > mean : theirs < mean;
        return same_data(other, group, measure) && is_better &&
               fixed_text(theirs, known.decimals) != fixed_text(mean, known.decimals);
    });
}

std::string bold_number(const std::string& cell) {
    return cell.starts_with("$") && cell.ends_with("$") ? "$\\mathbf{" + cell.substr(1, cell.size() - 2) + "}$" : cell;
}

}  // namespace

std::string latex_setting(const nlohmann::json& value) {
    const std::string text = setting_text(value);
    const auto exponent = text.find('e');
    if (!value.is_number() || exponent == std::string::npos) return latex_text(text);
    const std::string factor = text.substr(0, exponent);
    return "$" + (factor == "1" ? "" : factor + " \\times ") + "10^{" +
           std::to_string(std::stoi(text.substr(exponent + 1))) + "}$";
}

std::string latex_number(const std::string& cell) {
    const auto note = cell.find(" (");
    const std::string words = note == std::string::npos ? "" : cell.substr(note);
    std::string number = cell.substr(0, note);
    if (number == missing_cell) return "--" + words;
    const auto sign = number.find("±");
    if (sign != std::string::npos) number.replace(sign, std::string("±").size(), "\\pm");
    const auto dots = number.find(" …");
    if (dots != std::string::npos) number = "[" + number.replace(dots, std::string(" …").size(), ",") + "]";
    return "$" + number + "$" + words;
}

namespace {

template <typename HeadingOf, typename CellOf>
Table cells_of(const ResultsTable& table, const std::vector<ResultsColumn>& columns, const HeadingOf& heading_of,
               const CellOf& cell_of) {
    Table result;
    for (const ResultsColumn& column : columns) result.columns.push_back({heading_of(column)});
    for (const ResultGroup& group : table.groups) {
        auto& row = result.rows.emplace_back();
        for (const ResultsColumn& column : columns) row.push_back(cell_of(column, group));
    }
    return result;
}

}  // namespace

Table results_cells(const ResultsTable& table, const std::vector<ResultsColumn>& columns) {
    return cells_of(
        table, columns, [](const ResultsColumn& column) { return column.title; },
        [](const ResultsColumn& column, const ResultGroup& group) { return column.cell(group); });
}

std::string results_text(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::text, style);
    std::vector<std::string> lines;
    for (const std::string& note : table_notes(table, columns)) lines.push_back(note);
    if (has_marks(columns)) lines.push_back(mark_legend());
    const bool is_short = style.columns.empty();
    if (is_short && table.groups.size() > 1) {
        lines.emplace_back("--columns full prints all columns, and each verdict in a sentence.");
    }
    for (const ResultGroup& group : table.groups) {
        if (is_short || table.groups.size() < 2 || table.is_baseline(group) || table.target()) continue;
        lines.push_back(group_label(table, group) + ": " + verdict_of(table, group).words);
    }
    for (const ThetaCurve& curve : theta_curves(table)) lines.push_back(theta_curve_words(table, curve));
    for (const std::string& optimum : optimum_words(table)) lines.push_back(optimum);
    for (const AcrossTexts& across : across_texts(table)) lines.push_back(across_words(table, across));
    std::string result = results_cells(table, columns).text();
    for (const std::string& line : lines) result += line + '\n';
    return result + interaction_text(table);
}

std::string results_latex(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::latex, style);
    std::string comments;
    for (const std::string& note : table_notes(table, columns)) comments += "% " + note + "\n";
    // The caption names the test, so that the only column of p values needs no more than Holm's name.
    const auto is_p = [](const ResultsColumn& column) { return column.name.starts_with("p_"); };
    const bool is_only_p = std::count_if(columns.begin(), columns.end(), is_p) == 1;
    const auto heading_of = [&](const ResultsColumn& column) {
        const bool is_corrected = column.name.ends_with("_holm");
        const bool is_verdict = column.name == "mark" || column.name == "verdict";
        return is_only_p && is_corrected ? std::string("$p$ (Holm)")
                                         : (is_verdict ? "result" + text_words(table) : column.latex_title);
    };
    const auto cell_of = [&](const ResultsColumn& column, const ResultGroup& group) {
        const std::string cell = column.latex ? column.latex(group) : latex_number(column.cell(group));
        const bool bold = style.best_bold && column.measure && is_best(table, group, *column.measure);
        return bold ? bold_number(cell) : cell;
    };
    std::string caption = latex_text(caption_words(table));
    if (has_marks(columns)) caption += " " + latex_text(mark_legend());
    if (style.best_bold)
        caption += " Bold numbers are the best means of a column and " + data_words(table) +
                   ", where all groups have the same seeds.";
    return cells_of(table, columns, heading_of, cell_of).latex({caption, "tab:results", comments});
}

namespace {

using nlohmann::json;

json json_interval(const std::optional<DifferenceInterval>& estimate) {
    return estimate ? json{json_number(estimate->low), json_number(estimate->high)} : json{nullptr, nullptr};
}

json json_sample(const Description& described, const std::vector<double>& raw) {
    return {{"n", described.n},
            {"mean", json_number(described.mean)},
            {"std", json_number(described.standard_deviation)},
            {"minimum", json_number(described.minimum)},
            {"maximum", json_number(described.maximum)},
            {"standard_error", json_number(described.standard_error)},
            {"confidence_95", {json_number(described.confidence_low), json_number(described.confidence_high)}},
            {"values", json_list(raw, json_number)}};
}

}  // namespace

std::string results_csv(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::csv, style);
    const auto cell_of = [](const ResultsColumn& column, const ResultGroup& group) {
        const auto setting = group.settings.find(column.name);
        if (setting != group.settings.end() && setting->second.is_null() && !column.number) return std::string();
        return column.number ? csv_number(column.number(group)) : column.cell(group);
    };
    return cells_of(table, columns, std::mem_fn(&ResultsColumn::name), cell_of).csv();
}

json results_json(const ResultsTable& table) {
    json groups = json::array();
    for (const ResultGroup& group : table.groups) {
        json entry = {{"settings", group.settings},
                      {"seeds", group.seeds},
                      {"n", counted_runs(table, group)},
                      {"runs", group.members.size()},
                      {"runs_words", runs_cell(table, group)},
                      {"unfinished", group.unfinished},
                      {"stopped", group.stopped},
                      {"failed", group.failed},
                      {"repeated", group.repeated},
                      {"excluded", group.excluded.size()}};
        for (const std::string_view name : condition_names) {
            const auto counts = group.conditions.find(std::string(name));
            entry["chosen_" + std::string(name)] =
                counts == group.conditions.end() ? json::object() : json(counts->second);
        }
        if (!group.name.empty()) entry["name"] = group_name(table, group);
        entry["measurements"] = json::object();
        for (const auto& [name, described] : group.measurements) {
            entry["measurements"][name] = {{"n", described.n},
                                           {"mean", json_number(described.mean)},
                                           {"std", json_number(described.standard_deviation)}};
        }
        const ResultGroup* baseline = table.baseline_of(group);
        entry["baseline"] = baseline ? json(baseline->settings) : json();
        entry["survivors_only"] = table.compares_survivors(group);
        const Comparison& comparison = group.decided();
        entry["difference"] = json_number(group.difference);
        entry["difference_confidence_95"] = json_interval(comparison.estimate);
        entry["difference_percent"] = json_number(group.difference_percent);
        entry["improvement_percent"] = json_number(group.improvement_percent);
        entry["pairs"] = group.pairs;
        entry["detectable"] = json_number(comparison.detectable);
        entry["detectable_paired"] = json_number(group.paired.detectable);
        entry["seeds_needed"] = or_null(comparison.seeds_needed);
        entry["seeds_needed_confidence_95"] = {or_null(comparison.seeds_needed_low),
                                               or_null(comparison.seeds_needed_high)};
        entry["test"] = comparison.p ? json(to_string(group.test)) : json();
        entry["look"] = table.looks(group);
        if (comparison.sequential) {
            entry["sequential"] = sequential_json(*comparison.sequential);
            if (table.target()) entry["target"] = target_json(table, group);
            entry["sequential"]["stopped"] = end_of(table.sequential->design, *comparison.sequential);
        }
        const Verdict verdict = verdict_of(table, group);
        entry["verdict"] = {{"kind", to_string(verdict.kind)}, {"so_far", verdict.so_far}, {"words", verdict.words}};
        for (std::size_t i = 0; i < measure_count; ++i) {
            entry[std::string(measures()[i].name)] = json_sample(group.described[i], group.values(i));
        }
        if (table.target_loss) entry["iterations_until"] = json_sample(group.until, group.iterations_until);
        for (const TestKind kind : test_kinds) {
            const Comparison& each = group.comparison(kind);
            entry[to_string(kind)] = {
                {"p", json_number(each.p)},
                {"p_holm", json_number(each.p_holm)},
                {"t", each.test ? json_number(each.test->t) : json()},
                {"degrees_of_freedom", each.test ? json_number(each.test->degrees_of_freedom) : json()},
                {"difference", each.estimate ? json_number(each.estimate->difference) : json()},
                {"difference_confidence_95", json_interval(each.estimate)},
                {"detectable", json_number(each.detectable)},
                {"seeds_needed", or_null(each.seeds_needed)}};
        }
        groups.push_back(std::move(entry));
    }
    json units = json::object();
    for (const Measure& measure : measures()) units[std::string(measure.name)] = std::string(measure.unit);
    return {{"swept", table.swept},
            {"units", std::move(units)},
            {"compared", std::string(measures()[table.compared].name)},
            {"test", table.test ? to_string(*table.test) : "auto"},
            {"margin_percent", table.margin_percent},
            {"margin_of_seeds", table.margin_of_seeds},
            {"n_texts", count_texts(table)},
            {"across_texts", across_texts_json(table)},
            {"interactions", interactions_json(table)},
            {"stopping_rule", table.sequential ? json(words_of(table.sequential->design)) : json()},
            {"target_loss", json_number(table.target_loss)},
            {"baseline", table.groups.empty() ? json() : json(table.groups[table.baseline].settings)},
            {"warnings", condition_warnings(table)},
            {"imported", imported_words(table)},
            {"theta_curves", theta_curves_json(table)},
            {"optima", optima_json(table)},
            {"groups", std::move(groups)}};
}

}  // namespace ropelab
