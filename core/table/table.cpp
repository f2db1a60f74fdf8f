#include "core/table/table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::size_t most_upright_columns = 8;

std::vector<std::string> headings_of(const Table& table) {
    std::vector<std::string> headings;
    for (const TableColumn& column : table.columns) headings.push_back(column.heading);
    return headings;
}

}  // namespace

std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string csv_number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? number_text(*value) : "";
}

nlohmann::json json_number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json();
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

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

std::vector<TableColumn> Table::columns_of(const std::vector<std::string>& headings, std::string_view alignment) {
    std::vector<TableColumn> columns;
    for (const std::string& heading : headings) {
        columns.push_back({heading, alignment[std::min(columns.size(), alignment.size() - 1)]});
    }
    return columns;
}

std::string Table::text() const {
    std::vector<std::vector<std::string>> lines;
    const auto has_heading = [](const TableColumn& column) { return !column.heading.empty(); };
    if (std::any_of(columns.begin(), columns.end(), has_heading)) lines.push_back(headings_of(*this));
    lines.insert(lines.end(), rows.begin(), rows.end());
    std::vector<std::size_t> widths(columns.size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
    }
    std::string text;
    for (const auto& cells : lines) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::size_t width = columns[i].width > 0 ? columns[i].width : widths[i];
            const std::string blank(width - std::min(width, width_of(cells[i])), ' ');
            const bool follows_gap = i > 0 && columns[i - 1].alignment == 'l' && columns[i - 1].width > 0;
            if (i > 0 && columns[i].width == 0 && !follows_gap) line += "  ";
            line += columns[i].alignment == 'l' ? cells[i] + blank : blank + cells[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string Table::csv(const std::string& newline) const {
    std::string text;
    const auto add = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_field(cells[i]);
        text += newline;
    };
    add(headings_of(*this));
    for (const auto& row : rows) add(row);
    return text;
}

std::string aligned_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment) {
    return Table{Table::columns_of(rows.front(), alignment), {rows.begin() + 1, rows.end()}}.text();
}

std::string latex_table(const LatexTable& table) {
    const bool is_wide = table.alignment.size() > most_upright_columns;
    const std::string environment = is_wide ? "sidewaystable" : "table";
    std::string result = "% This table needs \\usepackage{booktabs}" +
                         std::string(is_wide ? ", \\usepackage{rotating}" : "") + " and \\usepackage{graphicx}.\n";
    if (is_wide) {
        result += "% It has " + std::to_string(table.alignment.size()) + " columns: tables of more than " +
                  std::to_string(most_upright_columns) +
                  " are turned by 90 degrees and fitted to the page. \"--columns paper\" prints a narrow one.\n";
    }
    result += table.comments + "\\begin{" + environment + "}\n\\centering\n\\caption{" + table.caption + "}\n\\label{" +
              table.label + "}\n\\vspace{1ex}\n" + (is_wide ? "" : "\\setlength{\\tabcolsep}{4pt}\n");
    // A table that is wider than the page or the column is made smaller; \width is its natural width.
    result += "\\resizebox{" +
              std::string(is_wide ? "\\linewidth" : "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi") +
              "}{!}{%\n\\begin{tabular}{" + table.alignment + "}\n\\toprule\n" + table.lines +
              "\\bottomrule\n\\end{tabular}}\n";
    return result + "\\end{" + environment + "}\n";
}

}  // namespace ropelab
