#include "core/table/table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr std::size_t most_upright_columns = 8;

// With the continuation bytes of a UTF-8 character.
std::size_t end_of_character(std::string_view text, std::size_t at) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
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

std::string_view latex_command(std::string_view character) {
    static const std::map<std::string_view, std::string_view> commands = {
        {"\\", "\\textbackslash{}"},
        {"~", "\\textasciitilde{}"},
        {"^", "\\textasciicircum{}"},
        {"&", "\\&"},
        {"%", "\\%"},
        {"$", "\\$"},
        {"#", "\\#"},
        {"_", "\\_"},
        {"{", "\\{"},
        {"}", "\\}"},
        {"<", "$<$"},
        {">", "$>$"},
        {"|", "$|$"},
        {"\"", "{\\char34}"},
        {"\u00A0", "~"},
        {"±", "$\\pm$"},
        {"²", "$^2$"},
        {"³", "$^3$"},
        {"·", "$\\cdot$"},
        {"×", "$\\times$"},
        {"÷", "$\\div$"},
        {"°", "$^\\circ$"},
        {"½", "$\\frac12$"},
        {"–", "--"},
        {"—", "---"},
        {"…", "\\ldots{}"},
        {"‘", "`"},
        {"’", "'"},
        {"“", "``"},
        {"”", "''"},
        {"\u2009", "\\,"},
        {"\u202F", "\\,"},
        {"−", "$-$"},
        {"→", "$\\rightarrow$"},
        {"←", "$\\leftarrow$"},
        {"≤", "$\\leq$"},
        {"≥", "$\\geq$"},
        {"≈", "$\\approx$"},
        {"≠", "$\\neq$"},
        {"∞", "$\\infty$"},
        {"√", "$\\surd$"},
        {"Δ", "$\\Delta$"},
        {"α", "$\\alpha$"},
        {"β", "$\\beta$"},
        {"γ", "$\\gamma$"},
        {"θ", "$\\theta$"},
        {"λ", "$\\lambda$"},
        {"μ", "$\\mu$"},
        {"π", "$\\pi$"},
        {"ρ", "$\\rho$"},
        {"σ", "$\\sigma$"},
        {"τ", "$\\tau$"},
        {"φ", "$\\varphi$"},
        {"ω", "$\\omega$"},
    };
    const auto command = commands.find(character);
    return command == commands.end() ? std::string_view() : command->second;
}

std::string latex_text(const std::string& text) {
    std::string result;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
        end = end_of_character(text, at);
        const std::string_view character = std::string_view(text).substr(at, end - at);
        const std::string_view command = latex_command(character);
        result += command.empty() ? character : command;
    }
    return result;
}

std::string markdown_text(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result;
}

std::string html_text(const std::string& text) {
    static const std::map<char, std::string> entities = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    std::string result;
    for (const char c : text) {
        const auto entity = entities.find(c);
        result += entity == entities.end() ? std::string(1, c) : entity->second;
    }
    return result;
}

std::string latex_row(const std::vector<std::string>& cells) {
    return joined(cells, " & ") + " \\\\\n";
}

std::vector<TableColumn> Table::columns_of(const std::vector<std::string>& headings, std::string_view alignment) {
    std::vector<TableColumn> columns;
    for (const std::string& heading : headings) {
        columns.push_back({heading, alignment[std::min(columns.size(), alignment.size() - 1)]});
    }
    return columns;
}

Table Table::titled(const std::vector<std::string>& headings, std::string_view alignment) {
    return {columns_of(headings, alignment), {}};
}

std::vector<std::string> Table::headings() const {
    std::vector<std::string> headings;
    for (const TableColumn& column : columns) headings.push_back(column.heading);
    return headings;
}

Table Table::with_cells(const std::function<std::string(const std::string&)>& change) const {
    Table result = *this;
    for (TableColumn& column : result.columns) column.heading = change(column.heading);
    for (auto& row : result.rows) std::transform(row.begin(), row.end(), row.begin(), change);
    return result;
}

std::string Table::text() const {
    std::vector<std::vector<std::string>> lines;
    const auto has_heading = [](const TableColumn& column) { return !column.heading.empty(); };
    if (std::any_of(columns.begin(), columns.end(), has_heading)) lines.push_back(headings());
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
            // A right-aligned column of a given width has its gap in front.
            const bool has_gap = i + 1 == cells.size() || (columns[i + 1].alignment == 'r' && columns[i + 1].width > 0);
            std::string blank(width - std::min(width, width_of(cells[i])), ' ');
            // A cell that runs over does not touch the next one.
            if (columns[i].alignment == 'l' && columns[i].width > 0 && blank.empty() && !has_gap) blank = " ";
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
    std::string text = joined(headings(), ",", csv_field) + newline;
    for (const auto& row : rows) text += joined(row, ",", csv_field) + newline;
    return text;
}

std::string Table::latex(const LatexFrame& frame) const {
    const bool is_wide = columns.size() > most_upright_columns;
    const std::string environment = is_wide ? "sidewaystable" : "table";
    std::string result = "% This table needs \\usepackage{booktabs}" +
                         std::string(is_wide ? ", \\usepackage{rotating}" : "") + " and \\usepackage{graphicx}.\n";
    if (is_wide) {
        result += "% The table has " + std::to_string(columns.size()) + " columns: tables of more than " +
                  std::to_string(most_upright_columns) +
                  " are rotated by 90 degrees and fitted to the page. \"--columns paper\" prints a narrow one.\n";
    }
    result += frame.comments + "\\begin{" + environment + "}\n\\centering\n\\caption{" + frame.caption + "}\n\\label{" +
              frame.label + "}\n\\vspace{1ex}\n" + (is_wide ? "" : "\\setlength{\\tabcolsep}{4pt}\n");
    // A table that is wider than the page or the column is made smaller; \width is its natural width.
    result += "\\resizebox{" +
              std::string(is_wide ? "\\linewidth" : "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi") +
              "}{!}{%\n\\begin{tabular}{";
    for (const TableColumn& column : columns) result += column.alignment;
    result += "}\n\\toprule\n" + latex_row(headings()) + "\\midrule\n";
    for (const auto& row : rows) result += row.empty() ? "\\midrule\n" : latex_row(row);
    return result + "\\bottomrule\n\\end{tabular}}\n\\end{" + environment + "}\n";
}

std::string Table::markdown() const {
    const auto line = [](const std::vector<std::string>& cells) { return "| " + joined(cells, " | ") + " |\n"; };
    std::string text = line(headings()) + '|';
    for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
    text += '\n';
    for (const auto& row : rows) text += line(row);
    return text;
}

std::string Table::html(const std::string& caption) const {
    const auto line = [](const std::vector<std::string>& cells, const std::string& tag) {
        const auto cell = [&](const std::string& text) { return "<" + tag + ">" + text + "</" + tag + ">"; };
        return "<tr>" + joined(cells, "", cell) + "</tr>\n";
    };
    std::string text =
        "<table>\n<caption>" + caption + "</caption>\n<thead>\n" + line(headings(), "th") + "</thead>\n<tbody>\n";
    for (const auto& row : rows) text += line(row, "td");
    return text + "</tbody>\n</table>\n";
}

}  // namespace ropelab
