#include <algorithm>

#include "core/stats/results_cells.h"
#include "core/stats/results_table.h"
#include "core/stats/theta_curve.h"

namespace ropelab {

std::string latex_escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '\\':
                result += "\\textbackslash{}";
                break;
            case '~':
                result += "\\textasciitilde{}";
                break;
            case '^':
                result += "\\textasciicircum{}";
                break;
            case '&':
            case '%':
            case '$':
            case '#':
            case '_':
            case '{':
            case '}':
                result += '\\';
                [[fallthrough]];
            default:
                result += c;
        }
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
    return cell == missing_cell ? "--" : "$" + cell + "$";
}

std::string results_text(const ResultsTable& table) {
    const bool comparing = table.groups.size() > 1;
    const std::vector<std::size_t> shown = measured(table);
    std::vector<std::vector<std::string>> rows(1);
    rows[0] = table.swept;
    rows[0].push_back("n");
    for (const std::size_t i : shown) rows[0].emplace_back(measures()[i].title);
    if (table.target_loss) rows[0].emplace_back("steps to target");
    rows[0].insert(rows[0].end(), {"95 % interval", "std. error"});
    if (comparing) {
        for (const char* title : {"improvement (%)", "difference [95 % interval]", "p Student", "p Holm", "p Welch",
                                  "p Holm", "p paired", "p Holm", "detectable diff.", "verdict"}) {
            rows[0].emplace_back(title);
        }
    }
    const int decimals = measures()[table.compared].decimals;
    for (const ResultGroup& group : table.groups) {
        std::vector<std::string>& row = rows.emplace_back();
        for (const std::string& key : table.swept) row.push_back(setting_text(group.settings.at(key)));
        row.push_back(runs_cell(group));
        for (const std::size_t i : shown) {
            row.push_back(measure_cell(group, i, " ± "));
        }
        if (table.target_loss) row.push_back(until_text(group, " ± "));
        row.push_back(interval_text(group.described[table.compared], decimals, " … "));
        row.push_back(fixed_text(group.described[table.compared].standard_error, decimals + 1));
        if (!comparing) continue;
        row.push_back(signed_percent(group.improvement_percent));
        row.push_back(difference_text(group.comparison(table.test).estimate));
        for (const Comparison* test : {&group.student, &group.welch, &group.paired}) {
            row.push_back(p_text(test->p));
            row.push_back(p_text(test->p_holm));
        }
        const auto& detectable = group.comparison(table.test).detectable;
        row.push_back(detectable ? rough_text(*detectable) : missing_cell);
        row.push_back(to_string(verdict_of(table, group).kind));
    }
    std::vector<std::size_t> widths(rows[0].size(), 0);
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string result;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            result += std::string(widths[i] - width_of(row[i]) + (i == 0 ? 0 : 2), ' ') + row[i];
        }
        result += '\n';
    }
    for (const std::string& note : table_notes(table)) result += note + '\n';
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        if (!comparing || table.is_baseline(table.groups[i])) continue;
        result += group_label(table, table.groups[i]) + ": " + verdict_of(table, table.groups[i]).words + '\n';
    }
    for (const ThetaCurve& curve : theta_curves(table)) result += theta_curve_words(table, curve) + '\n';
    return result;
}

std::string results_latex(const ResultsTable& table) {
    const bool comparing = table.groups.size() > 1;
    const std::vector<std::size_t> shown = measured(table);
    std::string result =
        "% This table needs \\usepackage{booktabs}.\n"
        "% If it is wider than the page, delete columns or put it into \\resizebox{\\textwidth}{!}{...} (package "
        "graphicx).\n";
    for (const std::string& note : table_notes(table)) result += "% " + note + "\n";
    std::string head;
    std::size_t columns = table.swept.size() + 1;
    for (const std::string& key : table.swept) head += (key == "theta" ? "$\\theta$" : latex_escaped(key)) + " & ";
    head += "$n$";
    const auto add = [&](const std::string& title) {
        head += " & " + title;
        ++columns;
    };
    const auto in_nats = [](std::size_t i) { return measures()[i].unit == "nats"; };
    for (const std::size_t i : shown) {
        add(latex_escaped(std::string(measures()[i].title)) + (in_nats(i) ? " (nats)" : ""));
    }
    if (table.target_loss) add("steps to target");
    add("95\\,\\% interval");
    add("std. error");
    if (comparing) {
        for (const char* title : {"improvement (\\%)", "difference [95\\,\\% interval]", "$p$ (Student, Holm)",
                                  "$p$ (Welch, Holm)", "$p$ (paired, Holm)", "detectable diff."}) {
            add(title);
        }
    }
    result += "\\begin{tabular}{" + std::string(columns, 'r') + "}\n\\toprule\n" + head + " \\\\\n\\midrule\n";
    for (const ResultGroup& group : table.groups) {
        for (const std::string& key : table.swept) {
            result += latex_setting(group.settings.at(key)) + " & ";
        }
        result += runs_cell(group);
        for (const std::size_t i : shown) {
            result += " & " + latex_number(measure_cell(group, i, " \\pm "));
        }
        if (table.target_loss) {
            // The note "(2 of 3)" stays outside the math mode.
            std::string cell = until_text(group, " \\pm ");
            const auto words = cell.find(" (");
            const std::string part = words == std::string::npos ? "" : cell.substr(words);
            result += " & " + latex_number(cell.substr(0, words)) + part;
        }
        const Description& compared = group.described[table.compared];
        const int decimals = measures()[table.compared].decimals;
        const std::string interval = interval_text(compared, decimals, ", ");
        result += " & " + latex_number(interval == missing_cell ? interval : "[" + interval + "]");
        result += " & " + latex_number(fixed_text(compared.standard_error, decimals + 1));
        if (comparing) {
            result += " & " + latex_number(signed_percent(group.improvement_percent));
            result += " & " + latex_number(difference_text(group.comparison(table.test).estimate));
            for (const Comparison* test : {&group.student, &group.welch, &group.paired}) {
                result += " & " + latex_number(p_text(test->p_holm));
            }
            const auto& detectable = group.comparison(table.test).detectable;
            result += " & " + latex_number(detectable ? rough_text(*detectable) : missing_cell);
        }
        result += " \\\\\n";
    }
    return result + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace ropelab
