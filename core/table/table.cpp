#include "core/table/table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::size_t most_upright_columns = 8;

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

std::string aligned_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blank(widths[i] - width_of(row[i]), ' ');
            const bool is_left = alignment[std::min(i, alignment.size() - 1)] == 'l';
            line += (i == 0 ? "" : "  ") + (is_left ? row[i] + blank : blank + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace ropelab
