#include <algorithm>

#include "core/stats/results_cells.h"
#include "core/stats/theta_curve.h"

namespace ropelab {

std::string latex_escaped(const std::string& text) {
    static const std::map<char, std::string> commands = {
        {'\\', "\\textbackslash{}"}, {'~', "\\textasciitilde{}"}, {'^', "\\textasciicircum{}"}};
    std::string result;
    for (const char c : text) {
        const auto command = commands.find(c);
        if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) result += '\\';
        result += command == commands.end() ? std::string(1, c) : command->second;
    }
    return result;
}

std::string latex_setting(const nlohmann::json& value) {
    const std::string text = setting_text(value);
    const auto exponent = text.find('e');
    if (!value.is_number() || exponent == std::string::npos) return latex_escaped(text);
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

std::string results_text(const ResultsTable& table) {
    std::vector<std::string> lines(table.groups.size() + 1);
    for (const ResultsColumn& column : results_columns(table)) {
        if (column.title.empty()) continue;
        std::vector<std::string> cells = {column.title};
        for (const ResultGroup& group : table.groups) cells.push_back(column.cell(group));
        std::size_t width = 0;
        for (const std::string& cell : cells) width = std::max(width, width_of(cell));
        for (std::size_t i = 0; i < cells.size(); ++i) {
            lines[i] += std::string(width - width_of(cells[i]) + (lines[i].empty() ? 0 : 2), ' ') + cells[i];
        }
    }
    for (const std::string& note : table_notes(table)) lines.push_back(note);
    for (const ResultGroup& group : table.groups) {
        if (table.groups.size() < 2 || table.is_baseline(group)) continue;
        lines.push_back(group_label(table, group) + ": " + verdict_of(table, group).words);
    }
    for (const ThetaCurve& curve : theta_curves(table)) lines.push_back(theta_curve_words(table, curve));
    std::string result;
    for (const std::string& line : lines) result += line + '\n';
    return result;
}

std::string results_latex(const ResultsTable& table) {
    std::string result =
        "% This table needs \\usepackage{booktabs}.\n"
        "% If it is wider than the page, delete columns or put it into \\resizebox{\\textwidth}{!}{...} (package "
        "graphicx).\n";
    for (const std::string& note : table_notes(table)) result += "% " + note + "\n";
    std::vector<ResultsColumn> columns = results_columns(table);
    std::erase_if(columns, [](const ResultsColumn& column) { return column.latex_title.empty(); });
    const auto add_line = [&](const auto& cell_of) {
        for (const ResultsColumn& column : columns) {
            result += cell_of(column) + (&column == &columns.back() ? " \\\\\n" : " & ");
        }
    };
    result += "\\begin{tabular}{" + std::string(columns.size(), 'r') + "}\n\\toprule\n";
    add_line([](const ResultsColumn& column) { return column.latex_title; });
    result += "\\midrule\n";
    for (const ResultGroup& group : table.groups) {
        add_line([&](const ResultsColumn& column) {
            return column.latex ? column.latex(group) : latex_number(column.cell(group));
        });
    }
    return result + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace ropelab
