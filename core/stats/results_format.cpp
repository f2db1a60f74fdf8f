#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/spec/keys.h"
#include "core/stats/results_table.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* missing = "–";

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) return missing;
    std::array<char, 400> buffer{};  // the largest double has 309 digits before the point
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return {buffer.data(), end};
}

std::string signed_percent(const std::optional<double>& percent) {
    if (!percent) return missing;
    return (*percent > 0 ? "+" : "") + fixed(*percent, 2);
}

std::string p_text(const std::optional<double>& p) {
    if (!p) return missing;
    return *p < 0.001 ? "<0.001" : fixed(*p, 3);
}

std::string mean_and_deviation(const Description& described, int decimals, const char* between) {
    if (described.n == 0) return missing;
    const std::string mean = fixed(described.mean, decimals);
    return described.n < 2 ? mean : mean + between + fixed(described.standard_deviation, decimals);
}

std::string label_of(const ResultsTable& table, const ResultGroup& group) {
    std::string result;
    for (const std::string& key : table.swept) {
        result += (result.empty() ? "" : ", ") + key + " = " + setting_text(group.settings.at(key));
    }
    return result.empty() ? "all runs" : result;
}

std::string runs_text(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " run" : " runs");
}

int comparisons(const ResultsTable& table) {
    return static_cast<int>(std::count_if(table.groups.begin(), table.groups.end(),
                                          [](const ResultGroup& group) { return group.student.p.has_value(); }));
}

// Measures of which some run has a number.
std::vector<std::size_t> measured(const ResultsTable& table) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < measure_count; ++i) {
        const bool any = std::any_of(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return group.described[i].n > 0; });
        if (any) result.push_back(i);
    }
    return result;
}

std::vector<std::string> notes(const ResultsTable& table) {
    std::vector<std::string> result;
    if (table.groups.size() > 1) {
        const int count = comparisons(table);
        result.push_back("Baseline: " + label_of(table, table.groups[table.baseline]) +
                         ". Difference and two-tailed t tests of " + std::string(measures()[table.compared].name) +
                         "; Holm's correction over " + std::to_string(count) +
                         (count == 1 ? " comparison." : " comparisons."));
    }
    for (const ResultGroup& group : table.groups) {
        if (group.unfinished > 0) {
            result.push_back(label_of(table, group) + ": " + runs_text(group.unfinished) + " not finished, left out.");
        }
        if (group.repeated > 0) {
            result.push_back(label_of(table, group) + ": " + runs_text(group.repeated) +
                             " of a seed that was run again, left out.");
        }
        const std::int64_t infinite =
            static_cast<std::int64_t>(group.summaries.size()) - group.described[table.compared].n;
        if (infinite > 0) {
            result.push_back(label_of(table, group) + ": " + runs_text(infinite) + " without a finite " +
                             std::string(measures()[table.compared].name) + ", left out of its mean.");
        }
    }
    return result;
}

std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

std::string csv_number(double value) {
    return std::isfinite(value) ? number_text(value) : "";
}
std::string csv_number(const std::optional<double>& value) {
    return value ? csv_number(*value) : "";
}

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

// A cell of fixed(), p_text() or mean_and_deviation() in math mode.
std::string latex_number(const std::string& cell) {
    return cell == missing ? "--" : "$" + cell + "$";
}

json json_number(double value) {
    return std::isfinite(value) ? json(value) : json();
}
json json_number(const std::optional<double>& value) {
    return value ? json_number(*value) : json();
}

}  // namespace

std::string results_text(const ResultsTable& table) {
    const bool comparing = table.groups.size() > 1;
    const std::vector<std::size_t> shown = measured(table);
    std::vector<std::vector<std::string>> rows(1);
    rows[0] = table.swept;
    rows[0].push_back("n");
    for (const std::size_t i : shown) rows[0].emplace_back(measures()[i].title);
    if (comparing) {
        for (const char* title : {"diff. %", "p Student", "Holm", "p Welch", "Holm", "p paired", "Holm"}) {
            rows[0].emplace_back(title);
        }
    }
    for (const ResultGroup& group : table.groups) {
        std::vector<std::string>& row = rows.emplace_back();
        for (const std::string& key : table.swept) row.push_back(setting_text(group.settings.at(key)));
        row.push_back(std::to_string(group.summaries.size()));
        for (const std::size_t i : shown) {
            row.push_back(mean_and_deviation(group.described[i], measures()[i].decimals, " ± "));
        }
        if (!comparing) continue;
        row.push_back(signed_percent(group.difference_percent));
        for (const Comparison* test : {&group.student, &group.welch, &group.paired}) {
            row.push_back(p_text(test->p));
            row.push_back(p_text(test->p_holm));
        }
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
    for (const std::string& note : notes(table)) result += note + '\n';
    return result;
}

std::string results_csv(const ResultsTable& table) {
    std::string result;
    for (const std::string& key : table.swept) result += csv_field(key) + ",";
    result += "n";
    for (const Measure& measure : measures()) {
        result += "," + std::string(measure.name) + "," + std::string(measure.name) + "_std";
    }
    result += ",difference_percent,p_student,p_student_holm,p_welch,p_welch_holm,p_paired,p_paired_holm\r\n";
    for (const ResultGroup& group : table.groups) {
        for (const std::string& key : table.swept) result += csv_field(setting_text(group.settings.at(key))) + ",";
        result += std::to_string(group.summaries.size());
        for (const Description& described : group.described) {
            result += "," + csv_number(described.mean) + "," + csv_number(described.standard_deviation);
        }
        result += "," + csv_number(group.difference_percent);
        for (const Comparison* test : {&group.student, &group.welch, &group.paired}) {
            result += "," + csv_number(test->p) + "," + csv_number(test->p_holm);
        }
        result += "\r\n";
    }
    return result;
}

std::string results_latex(const ResultsTable& table) {
    const bool comparing = table.groups.size() > 1;
    std::vector<std::size_t> shown;
    for (const std::size_t i : measured(table)) {
        if (measures()[i].name != "seconds" && measures()[i].name != "tokens_per_second") shown.push_back(i);
    }
    std::string result = "% needs \\usepackage{booktabs}; mean and sample standard deviation over n seeds\n";
    for (const std::string& note : notes(table)) result += "% " + note + "\n";
    result += "\\begin{tabular}{" + std::string(table.swept.size() + 1, 'r') + std::string(shown.size(), 'r') +
              (comparing ? "rrr" : "") + "}\n\\toprule\n";
    std::string head;
    for (const std::string& key : table.swept) head += (key == "theta" ? "$\\theta$" : latex_escaped(key)) + " & ";
    head += "$n$";
    for (const std::size_t i : shown) head += " & " + latex_escaped(std::string(measures()[i].title));
    if (comparing) head += " & diff. (\\%) & $p$ (Student, Holm) & $p$ (Welch, Holm)";
    result += head + " \\\\\n\\midrule\n";
    for (const ResultGroup& group : table.groups) {
        for (const std::string& key : table.swept) {
            result += latex_escaped(setting_text(group.settings.at(key))) + " & ";
        }
        result += std::to_string(group.summaries.size());
        for (const std::size_t i : shown) {
            const std::string cell = mean_and_deviation(group.described[i], measures()[i].decimals, " \\pm ");
            result += " & " + latex_number(cell);
        }
        if (comparing) {
            result += " & " + latex_number(signed_percent(group.difference_percent)) + " & " +
                      latex_number(p_text(group.student.p_holm)) + " & " + latex_number(p_text(group.welch.p_holm));
        }
        result += " \\\\\n";
    }
    return result + "\\bottomrule\n\\end{tabular}\n";
}

json results_json(const ResultsTable& table) {
    json groups = json::array();
    for (const ResultGroup& group : table.groups) {
        json entry = {{"settings", group.settings},  {"seeds", group.seeds},
                      {"n", group.summaries.size()}, {"unfinished", group.unfinished},
                      {"repeated", group.repeated},  {"difference_percent", json_number(group.difference_percent)}};
        for (std::size_t i = 0; i < measure_count; ++i) {
            const Description& described = group.described[i];
            json values = json::array();
            for (const RunSummary& summary : group.summaries) values.push_back(json_number(measures()[i].of(summary)));
            entry[std::string(measures()[i].name)] = {
                {"n", described.n},
                {"mean", json_number(described.mean)},
                {"std", json_number(described.standard_deviation)},
                {"minimum", json_number(described.minimum)},
                {"maximum", json_number(described.maximum)},
                {"standard_error", json_number(described.standard_error)},
                {"confidence_95", {json_number(described.confidence_low), json_number(described.confidence_high)}},
                {"values", std::move(values)}};
        }
        const std::array<std::pair<const char*, const Comparison*>, 3> tests = {
            {{"student", &group.student}, {"welch", &group.welch}, {"paired", &group.paired}}};
        for (const auto& [name, test] : tests) {
            entry[name] = {{"p", json_number(test->p)}, {"p_holm", json_number(test->p_holm)}};
        }
        groups.push_back(std::move(entry));
    }
    return {{"swept", table.swept},
            {"compared", std::string(measures()[table.compared].name)},
            {"baseline", table.groups.empty() ? json() : json(table.groups[table.baseline].settings)},
            {"groups", std::move(groups)}};
}

}  // namespace ropelab
