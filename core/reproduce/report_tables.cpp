// CSV and LaTeX tables of a sheet's rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/reproduce/report.h"
#include "core/reproduce/sheet_cells.h"
#include "core/results/results_cells.h"
#include "core/spec/keys.h"

namespace ropelab {

namespace {

using nlohmann::json;

std::string csv_sample(const std::optional<Sample>& sample) {
    if (!sample || sample->n == 0) return ",,,";
    return "," + csv_number(sample->mean) + "," +
           csv_number(sample->n > 1 ? sample->standard_deviation : std::nan("")) + "," + std::to_string(sample->n);
}

std::string csv_values(const SheetRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        text += (i == 0 ? "" : " ") + std::to_string(row.seeds[i]) + ":" + csv_number(row.values[i]);
    }
    return text;
}

std::string latex_label(const json& keys) {
    std::string label = latex_escaped(row_label(keys));
    const auto theta = label.find("theta");
    if (theta != std::string::npos) label.replace(theta, 5, "$\\theta$");
    return label;
}

std::string latex_row(const SheetRow& row) {
    std::string words = to_string(row.verdict);
    if (row.failed > 0) words += ", " + runs_text(row.failed) + " failed";
    const Sample published = row.plan.paper.value_or(Sample{});
    const std::optional<double> recomputed = row.plan.baseline ? row.paper_difference_percent : std::nullopt;
    return latex_label(row.plan.keys) + " & " +
           (is_event(row.plan.measure) ? ours_text(row) : latex_number(ours_text(row))) + " & " +
           std::to_string(row.ours.n) + " & " + latex_number(signed_percent(row.difference_percent)) + " & " +
           latex_number(verdict_p_text(row)) + (row.p_student ? "; " + latex_number(p_text(row.p_student)) : "") +
           " & " + latex_number(sample_text(published)) + " & " + latex_number(signed_percent(recomputed)) + " & " +
           latex_escaped(words) + " \\\\\n";
}

// Returns the caption of the table of these rows, in LaTeX.
std::string sheet_caption(const SheetPlan& plan, const std::vector<const SheetRow*>& rows) {
    std::set<std::string> data;
    std::set<std::int64_t> lengths;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    const RunSpec* example = nullptr;
    for (const SheetRow* row : rows) {
        least = std::min(least, row->ours.n);
        most = std::max(most, row->ours.n);
        if (!row->spec) continue;
        data.insert(row->spec->data);
        lengths.insert(row->spec->iterations);
        if (!example) example = &*row->spec;
    }
    std::string words =
        plan.title + (plan.title.ends_with("?") ? "" : ".") +
        " Measure: " + measure_heading(rows.front()->plan.measure) +
        ", mean ± sample standard deviation over n = " + (least < most ? std::to_string(least) + " to " : "") +
        std::to_string(most) + " seeds. Data: ";
    for (const std::string& name : data) words += (words.ends_with(": ") ? "" : ", ") + name;
    words += data.empty() ? "none." : ".";
    if (example) {
        words += " Model: " + std::to_string(example->layers) + " layers, " + std::to_string(example->heads) +
                 " heads, width " + std::to_string(example->width) + ", context " + std::to_string(example->context) +
                 "; after ";
        for (const std::int64_t steps : lengths) {
            words += (steps == *lengths.begin() ? "" : " or ") + std::to_string(steps);
        }
        words += " steps of training, precision " + to_text(key("precision").get(*example)) + ".";
    }
    words +=
        " p: test of the preregistered rule after Holm's correction over the rows of its family; rules without "
        "another word in brackets test a difference. After the semicolon: Student's two-tailed t test of the means, "
        "not corrected. Scale: " +
        to_string(plan.scale) + ".";
    if (plan.scale == SheetScale::smoke) words += " " + withheld_words();
    return latex_words(words);
}

}  // namespace

std::string sheet_csv(std::span<const SheetRow> rows) {
    std::set<std::string> keys;
    for (const SheetRow& row : rows) {
        for (const auto& [key, value] : row.plan.keys.items()) keys.insert(key);
    }
    std::string text = "claim,measure";
    for (const std::string& key : keys) text += "," + csv_field(key);
    for (const char* source : {"ours", "baseline", "paper"}) {
        for (const char* statistic : {"mean", "std", "n"}) text += std::string(",") + source + "_" + statistic;
    }
    text += ",difference,difference_percent,paper_printed_percent,paper_recomputed_percent";
    text += ",paper_p_student,paper_p_welch,p_student,p_welch,p_paired,p_equivalence,p_rule,p_holm";
    text += ",verdict,failed,values,rule,words,by_rule\r\n";
    for (const SheetRow& row : rows) {
        text += csv_field(row.plan.claim) + "," + csv_field(row.plan.measure);
        for (const std::string& key : keys) {
            const json value = row.plan.keys.value(key, json());
            text +=
                "," + (value.is_null()     ? std::string()
                       : value.is_number() ? csv_number(value.get<double>())
                                           : csv_field(value.is_string() ? value.get<std::string>() : value.dump()));
        }
        text += csv_sample(row.ours) + csv_sample(row.plan.baseline ? std::optional(row.baseline) : std::nullopt) +
                csv_sample(row.plan.paper);
        for (const std::optional<double>& number :
             {row.difference, row.difference_percent, row.plan.paper_printed, row.paper_difference_percent,
              row.paper_p_student, row.paper_p_welch, row.p_student, row.p_welch, row.p_paired, row.p_equivalence,
              row.p_rule, row.p_holm}) {
            text += "," + csv_number(number);
        }
        text += "," + to_string(row.verdict) + "," + std::to_string(row.failed) + "," + csv_values(row) + "," +
                csv_field(rule_words(row.plan)) + "," + csv_field(row.words) + "," +
                (row.by_rule ? to_string(*row.by_rule) : "") + "\r\n";
    }
    return text;
}

std::string sheet_latex(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::string text = "% Cells show mean and sample standard deviation over n seeds.\n";
    text += "% " + plan.title + ", " + to_string(plan.scale) + " scale\n% " + plan.source + "\n";
    for (const std::string& note : plan.notes) text += "% " + note + "\n";
    for (const std::string& rule : rules_of(plan)) text += "% " + rule + "\n";
    for (const auto& table : tables_of(rows)) {
        std::string lines = latex_escaped(measure_heading(table.front()->plan.measure)) +
                            " & ours & $n$ & diff. (\\%) & $p$ (Holm; Student) & published & published (\\%) & verdict "
                            "\\\\\n\\midrule\n";
        for (const SheetRow* row : table) lines += latex_row(*row);
        const std::string& measure = table.front()->plan.measure;
        text += latex_table({"lrrrrrrl", lines, sheet_caption(plan, table), "tab:" + plan.sheet + "-" + measure, ""}) +
                "\n";
    }
    return text;
}

}  // namespace ropelab
