// Chooses the columns of a printed table.
#include <algorithm>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

// Columns that have no title in `full`.
std::string title_of(const ResultsColumn& column) {
    if (!column.title.empty()) return column.title;
    if (column.measure) return std::string(measures()[*column.measure].title);
    std::string title = column.chosen_name();
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

// Returns the columns that a preset stands for; a column's own name stands for itself.
std::vector<std::string> expanded(const ResultsTable& table, PrintedFormat format, const std::string& name) {
    std::vector<std::string> result;
    const bool is_preset = name == "settings" || name == "paper" || name == "short";
    if (!is_preset) return {name};
    if (has_names(table)) result.emplace_back("name");
    result.insert(result.end(), table.swept.begin(), table.swept.end());
    if (name == "settings") return result;
    std::vector<std::string> results = paper_columns(table);
    if (name == "short") {
        results.back() = "verdict";
        if (table.groups.size() < 2) results.resize(2);  // nothing is compared
    }
    for (const std::string& each : results) {
        result.push_back(each);
        // Text and LaTeX print the standard deviation beside the mean.
        const bool is_mean = each == measures()[table.compared].name;
        if (is_mean && format == PrintedFormat::csv) result.push_back(each + "_std");
    }
    return result;
}

bool is_in_full(const ResultsColumn& column, PrintedFormat format) {
    if (format == PrintedFormat::csv) return !column.name.empty();
    return !(format == PrintedFormat::text ? column.title : column.latex_title).empty();
}

// Returns the column with a heading and cells for every format.
ResultsColumn completed(ResultsColumn column) {
    const std::string title = title_of(column);
    if (column.name.empty()) column.name = column.choice;
    if (column.title.empty()) column.title = title;
    if (column.latex_title.empty()) column.latex_title = latex_words(title);
    if (!column.cell) {
        column.cell = [number = column.number](const ResultGroup& group) {
            const std::optional<double> value = number(group);
            return value ? rough_text(*value) : missing_cell;
        };
    }
    return column;
}

const ResultsColumn& column_named(const std::vector<ResultsColumn>& columns, const std::string& name) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const ResultsColumn& column) { return column.chosen_name() == name; });
    if (found != columns.end()) return *found;
    std::vector<std::string_view> known = {"short", "paper", "full", "settings"};
    std::string list = "short, paper, full, settings";
    for (const ResultsColumn& column : columns) {
        if (column.chosen_name().empty()) continue;
        known.push_back(column.chosen_name());
        list += ", " + column.chosen_name();
    }
    throw BadInput("The table has no column \"" + name + "\"; did you mean " + nearest(name, known) +
                   "? Its columns are " + list + ".");
}

}  // namespace

std::vector<std::string> paper_columns(const ResultsTable& table) {
    return {std::string(measures()[table.compared].name), "n", "improvement_percent",
            "p_" + to_string(table.test) + "_holm", "mark"};
}

std::vector<std::string> column_list(const std::string& typed) {
    std::vector<std::string> result;
    std::size_t begin = 0;
    while (begin <= typed.size()) {
        const std::size_t end = std::min(typed.find(',', begin), typed.size());
        result.emplace_back(trimmed(std::string_view(typed).substr(begin, end - begin)));
        if (result.back().empty()) {
            throw BadInput("\"" + typed + "\" is not a list of columns; write their names with commas, such as " +
                           "settings,best_validation_loss,n.");
        }
        begin = end + 1;
    }
    return result;
}

std::vector<ResultsColumn> chosen_columns(const ResultsTable& table, PrintedFormat format, const TableStyle& style) {
    const std::vector<ResultsColumn> all = results_columns(table);
    std::vector<ResultsColumn> result;
    const std::vector<std::string> preset = {format == PrintedFormat::text ? "short" : "full"};
    for (const std::string& choice : style.columns.empty() ? preset : style.columns) {
        if (choice == "full") {
            std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                         [&](const ResultsColumn& column) { return is_in_full(column, format); });
            continue;
        }
        for (const std::string& name : expanded(table, format, choice)) {
            result.push_back(completed(column_named(all, name)));
        }
    }
    // Only `settings` of runs that differ in their seed alone has no column.
    if (result.empty()) result.push_back(completed(column_named(all, "n")));
    return result;
}

std::vector<std::pair<std::string, std::string>> column_names(const ResultsTable& table) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const ResultsColumn& column : results_columns(table)) {
        if (!column.chosen_name().empty()) result.emplace_back(column.chosen_name(), title_of(column));
    }
    return result;
}

std::string column_help() {
    ResultsTable any;
    any.target_loss = 0;  // so that the list contains the columns of --until
    std::vector<std::pair<std::string, std::string>> lines = {
        {"short", "preset: as paper, with the verdict in the place of the mark; the columns of text without --columns"},
        {"paper", "preset: settings, mean ± std of the compared measure, n, improvement, corrected p, mark"},
        {"full", "preset: all columns of the format"},
        {"settings",
         "the names of settings and the settings in which the groups differ; each can also be chosen alone"}};
    for (auto& each : column_names(any)) lines.push_back(std::move(each));
    std::size_t width = 0;
    for (const auto& [name, meaning] : lines) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, meaning] : lines) {
        text += name + std::string(width + 2 - name.size(), ' ') + meaning + '\n';
    }
    return text;
}

}  // namespace ropelab
