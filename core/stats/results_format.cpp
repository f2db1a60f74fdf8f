#include <algorithm>

#include "core/stats/results_cells.h"
#include "core/stats/theta_curve.h"

namespace ropelab {

namespace {

bool has_marks(const std::vector<ResultsColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ResultsColumn& column) { return column.chosen_name() == "mark"; });
}

// Returns whether no group of the same data set has a better mean. Means that are printed alike are equally good.
bool is_best(const ResultsTable& table, const ResultGroup& group, std::size_t measure) {
    const Measure& known = measures()[measure];
    const double mean = group.described[measure].mean;
    if (group.described[measure].n == 0 || table.groups.size() < 2) return false;
    return std::none_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& other) {
        const double theirs = other.described[measure].mean;
        const bool is_better = known.more_is_better ? theirs > mean : theirs < mean;
        return same_data(other, group, measure) && is_better &&
               fixed_text(theirs, known.decimals) != fixed_text(mean, known.decimals);
    });
}

// Returns a number in math mode in bold.
std::string bold_number(const std::string& cell) {
    return cell.starts_with("$") && cell.ends_with("$") ? "$\\mathbf{" + cell.substr(1, cell.size() - 2) + "}$" : cell;
}

}  // namespace

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

std::string results_text(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::text, style);
    std::vector<std::vector<std::string>> rows(table.groups.size() + 1);
    for (const ResultsColumn& column : columns) {
        rows[0].push_back(column.title);
        for (std::size_t i = 0; i < table.groups.size(); ++i) rows[i + 1].push_back(column.cell(table.groups[i]));
    }
    std::vector<std::string> lines;
    for (const std::string& note : table_notes(table, columns)) lines.push_back(note);
    if (has_marks(columns)) lines.push_back(mark_legend());
    const bool is_short = style.columns.empty();
    if (is_short && table.groups.size() > 1) {
        lines.emplace_back("All columns, and each verdict in a sentence: --columns full.");
    }
    for (const ResultGroup& group : table.groups) {
        if (is_short || table.groups.size() < 2 || table.is_baseline(group)) continue;
        lines.push_back(group_label(table, group) + ": " + verdict_of(table, group).words);
    }
    for (const ThetaCurve& curve : theta_curves(table)) lines.push_back(theta_curve_words(table, curve));
    std::string result = aligned_text(rows);
    for (const std::string& line : lines) result += line + '\n';
    return result;
}

std::string results_latex(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::latex, style);
    std::string comments;
    for (const std::string& note : table_notes(table, columns)) comments += "% " + note + "\n";
    std::string lines;
    const auto add_line = [&](const auto& cell_of) {
        for (const ResultsColumn& column : columns) {
            lines += cell_of(column) + (&column == &columns.back() ? " \\\\\n" : " & ");
        }
    };
    // The caption names the test, so that the only column of p values needs no more than Holm's name.
    const auto is_p = [](const ResultsColumn& column) { return column.name.starts_with("p_"); };
    const bool is_only_p = std::count_if(columns.begin(), columns.end(), is_p) == 1;
    add_line([&](const ResultsColumn& column) {
        const bool is_corrected = column.name == "p_" + to_string(table.test) + "_holm";
        return is_only_p && is_corrected ? std::string("$p$ (Holm)") : column.latex_title;
    });
    lines += "\\midrule\n";
    for (const ResultGroup& group : table.groups) {
        add_line([&](const ResultsColumn& column) {
            const std::string cell = column.latex ? column.latex(group) : latex_number(column.cell(group));
            const bool bold = style.best_bold && column.measure && is_best(table, group, *column.measure);
            return bold ? bold_number(cell) : cell;
        });
    }
    std::string caption = latex_words(caption_words(table));
    if (has_marks(columns)) caption += " " + latex_words(mark_legend());
    if (style.best_bold) caption += " Bold: best mean of a column and data set.";
    return latex_table({std::string(columns.size(), 'r'), lines, caption, "tab:results", comments});
}

}  // namespace ropelab
