#include <algorithm>

#include "core/stats/results_cells.h"
#include "core/stats/setting_words.h"

namespace ropelab {

namespace {

using Group = const ResultGroup&;

auto statistic(std::size_t measure, double Description::*member) {
    return [=](Group group) { return group.described[measure].*member; };
}

}  // namespace

std::vector<ResultsColumn> results_columns(const ResultsTable& table) {
    const auto if_target = [&](const char* title) { return table.target_loss ? title : ""; };
    const auto if_comparing = [&](const std::string& title) { return table.groups.size() > 1 ? title : ""; };
    std::vector<ResultsColumn> columns;
    const auto add = [&](ResultsColumn column) { columns.push_back(std::move(column)); };
    const std::string name_title = has_names(table) ? "name" : "";
    const auto name_cell = [&table](Group group) { return group_name(table, group); };
    const auto name_latex = [&table](Group group) { return latex_escaped(group_name(table, group)); };
    add({name_title, {}, name_title, name_title, name_cell, {}, name_latex, "name"});
    for (const std::string& key : table.swept) {
        const auto cell = [key](Group group) { return setting_text(group.settings.at(key)); };
        const auto latex = [key](Group group) { return latex_setting(group.settings.at(key)); };
        if (key == "fraction") {  // a number in CSV, and in words where people read it
            const auto words = [&table](Group group) { return group_setting_words(table, group, "fraction"); };
            const auto words_latex = [words](Group group) { return latex_escaped(words(group)); };
            const auto number = [](Group group) -> std::optional<double> {
                const auto& value = group.settings.at("fraction");
                return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
            };
            add({key, number, key, key, words, key, words_latex});
            continue;
        }
        add({key, {}, key, key == "theta" ? "$\\theta$" : latex_escaped(key), cell, key, latex});
    }
    const auto runs = [&table](Group group) { return runs_cell(table, group); };
    const auto n = [&table](Group group) { return static_cast<double>(counted_runs(table, group)); };
    add({"n", n, "n", "$n$", runs, "n", runs});
    const std::vector<std::size_t> shown = measured(table);
    for (std::size_t i = 0; i < measure_count; ++i) {
        const std::string name(measures()[i].name);
        const bool has_values = std::find(shown.begin(), shown.end(), i) != shown.end();
        const std::string title(has_values ? measures()[i].title : "");
        const char* unit = has_values && measures()[i].unit == "nats" ? " (nats)" : "";
        const auto cell = [i](Group group) { return measure_cell(group, i); };
        add({name, statistic(i, &Description::mean), title, latex_escaped(title) + unit, cell, name, {}, {}, i});
        add({name + "_std", statistic(i, &Description::standard_deviation)});
    }
    const char* until = if_target("steps to target");
    add({if_target("iterations_until"),
         [](Group group) { return group.until.mean; },
         until,
         until,
         until_text,
         "iterations_until",
         {},
         "iterations_until"});
    add({if_target("iterations_until_std"),
         [](Group group) { return group.until.standard_deviation; },
         {},
         {},
         {},
         {},
         {},
         "iterations_until_std"});
    add({if_target("iterations_until_n"),
         [](Group group) { return group.until.n; },
         {},
         {},
         {},
         {},
         {},
         "iterations_until_n"});
    const std::size_t compared = table.compared;
    const int decimals = measures()[compared].decimals;
    const auto interval = [=](Group group) { return interval_text(group.described[compared], decimals); };
    const auto error = [=](Group group) { return fixed_text(group.described[compared].standard_error, decimals + 1); };
    add({"", {}, "95 % interval", "95\\,\\% interval", interval, {}, {}, "interval"});
    add({"standard_error", statistic(compared, &Description::standard_error), "std. error", "std. error", error});
    add({"confidence_low", statistic(compared, &Description::confidence_low)});
    add({"confidence_high", statistic(compared, &Description::confidence_high)});
    const auto estimate = [&table](Group group) { return group.comparison(table.test).estimate; };
    const auto end = [=](double DifferenceInterval::*member) {
        return [=](Group group) {
            const auto difference = estimate(group);
            return difference ? std::optional((*difference).*member) : std::nullopt;
        };
    };
    add({"difference", &ResultGroup::difference});
    add({"difference_low", end(&DifferenceInterval::low)});
    add({"difference_high", end(&DifferenceInterval::high)});
    add({"difference_percent", &ResultGroup::difference_percent});
    const auto improvement = [](Group group) { return signed_percent(group.improvement_percent); };
    add({"improvement_percent", &ResultGroup::improvement_percent, if_comparing("improvement (%)"),
         if_comparing("improv. (\\%)"), improvement, "improvement"});
    add({"",
         {},
         if_comparing("difference [95 % interval]"),
         if_comparing("difference [95\\,\\% interval]"),
         [=](Group group) { return difference_text(estimate(group)); },
         {},
         {},
         "difference_interval"});
    const std::map<TestKind, std::string> tests = {
        {TestKind::student, "Student"}, {TestKind::welch, "Welch"}, {TestKind::paired, "paired"}};
    for (const auto& [test, title] : tests) {
        const auto p = [kind = test](Group group) { return group.comparison(kind).p; };
        const auto p_holm = [kind = test](Group group) { return group.comparison(kind).p_holm; };
        const std::string name = "p_" + to_string(test);
        add({name, p, if_comparing("p " + title), "", [=](Group group) { return p_text(p(group)); }, name});
        add({name + "_holm", p_holm, if_comparing("p " + title + ", Holm"), if_comparing("$p$ (" + title + ", Holm)"),
             [=](Group group) { return p_text(p_holm(group)); }});
    }
    const std::string detectable = if_comparing("detectable diff.");
    const auto least = [&table](Group group) { return group.comparison(table.test).detectable; };
    add({"detectable", least, detectable, detectable,
         [=](Group group) { return least(group) ? rough_text(*least(group)) : missing_cell; }});
    add({"detectable_paired", [](Group group) { return group.paired.detectable; }});
    add({"compared", {}, "", "", [=](Group) { return std::string(measures()[compared].name); }});
    add({"test", {}, "", "", [&table](Group) { return to_string(table.test); }});
    add({"baseline", {}, "", "", [&table](Group group) {
             const ResultGroup* baseline = table.baseline_of(group);
             return baseline ? group_label(table, *baseline) : "";
         }});
    const auto verdict = [&table](Group group) { return to_string(verdict_of(table, group).kind); };
    add({"verdict", {}, if_comparing("verdict"), "", verdict, {}, verdict});
    const auto mark = [&table](Group group) { return significance_mark(table, group); };
    const auto latex_mark = [mark](Group group) {
        const std::string text = mark(group);
        return text.starts_with("*") ? "$^{" + text + "}$" : text == missing_cell ? "--" : text;
    };
    add({"", {}, "", "", mark, {}, latex_mark, "mark"});
    add({"survivors_only", {}, "", "", [&table](Group group) {
             return table.compares_survivors(group) ? "true" : "false";
         }});
    add({"runs", [](Group group) { return group.members.size(); }});
    add({"unfinished", &ResultGroup::unfinished});
    add({"failed", &ResultGroup::failed});
    for (const std::string_view name : condition_names) {
        const auto cell = [name](Group group) { return condition_text(group, name); };
        const auto latex = [name](Group group) { return latex_escaped(condition_text(group, name)); };
        add({"chosen_" + std::string(name), {}, "", "", cell, {}, latex});
    }
    for (const std::string& name : table.measurements) {
        const auto value = [name](auto Description::*member) {
            return [=](Group group) {
                const auto found = group.measurements.find(name);
                return found == group.measurements.end() ? std::nullopt
                                                         : std::optional(static_cast<double>(found->second.*member));
            };
        };
        add({"measured_" + name, value(&Description::mean)});
        add({"measured_" + name + "_std", value(&Description::standard_deviation)});
        add({"measured_" + name + "_n", value(&Description::n)});
    }
    return columns;
}

}  // namespace ropelab
