#include <algorithm>

#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

using Group = const ResultGroup&;

auto statistic(std::size_t measure, double Description::*member) {
    return [=](Group group) { return group.described[measure].*member; };
}

auto rough(std::optional<double> ResultGroup::*member) {
    return [=](Group group) { return group.*member ? rough_text(*(group.*member)) : missing_cell; };
}

}  // namespace

std::vector<ResultsColumn> results_columns(const ResultsTable& table) {
    const auto if_target = [&](const char* title) { return table.target_loss ? title : ""; };
    const auto if_comparing = [&](const std::string& title) { return table.groups.size() > 1 ? title : ""; };
    std::vector<ResultsColumn> columns;
    const auto add = [&](ResultsColumn column) { columns.push_back(std::move(column)); };
    for (const std::string& key : table.swept) {
        const auto cell = [key](Group group) { return setting_text(group.settings.at(key)); };
        const auto latex = [key](Group group) { return latex_setting(group.settings.at(key)); };
        add({key, {}, key, key == "theta" ? "$\\theta$" : latex_escaped(key), cell, key, latex});
    }
    const auto count = [](Group group) { return std::to_string(group.summaries.size()); };
    const auto count_and_failed = [=](Group group) {
        return count(group) + (group.failed > 0 ? " (" + std::to_string(group.failed) + " failed)" : "");
    };
    add({"n", [](Group group) { return group.summaries.size(); }, "n", "$n$", count, "n", count_and_failed});
    const std::vector<std::size_t> shown = measured(table);
    for (std::size_t i = 0; i < measure_count; ++i) {
        const std::string name(measures()[i].name);
        const bool has_values = std::find(shown.begin(), shown.end(), i) != shown.end();
        const std::string title(has_values ? measures()[i].title : "");
        const char* unit = has_values && measures()[i].unit == "nats" ? " (nats)" : "";
        const auto cell = [i](Group group) { return measure_cell(group, i); };
        add({name, statistic(i, &Description::mean), title, latex_escaped(title) + unit, cell, name});
        add({name + "_std", statistic(i, &Description::standard_deviation)});
    }
    const char* until = if_target("steps to target");
    add({if_target("iterations_until"), [](Group group) { return group.until.mean; }, until, until, until_text,
         "iterations_until"});
    add({if_target("iterations_until_std"), [](Group group) { return group.until.standard_deviation; }});
    add({if_target("iterations_until_n"), [](Group group) { return group.until.n; }});
    const std::size_t compared = table.compared;
    const int decimals = measures()[compared].decimals;
    const auto interval = [=](Group group) { return interval_text(group.described[compared], decimals); };
    const auto error = [=](Group group) { return fixed_text(group.described[compared].standard_error, decimals + 1); };
    add({"", {}, "95 % interval", "95\\,\\% interval", interval});
    add({"standard_error", statistic(compared, &Description::standard_error), "std. error", "std. error", error});
    add({"confidence_low", statistic(compared, &Description::confidence_low)});
    add({"confidence_high", statistic(compared, &Description::confidence_high)});
    add({"difference", &ResultGroup::difference});
    add({"difference_percent", &ResultGroup::difference_percent});
    const auto improvement = [](Group group) { return signed_percent(group.improvement_percent); };
    add({"improvement_percent", &ResultGroup::improvement_percent, if_comparing("improvement (%)"),
         if_comparing("improvement (\\%)"), improvement, "improvement"});
    const std::map<TestKind, std::string> tests = {
        {TestKind::student, "Student"}, {TestKind::welch, "Welch"}, {TestKind::paired, "paired"}};
    for (const auto& [test, title] : tests) {
        const auto p = [kind = test](Group group) { return group.comparison(kind).p; };
        const auto p_holm = [kind = test](Group group) { return group.comparison(kind).p_holm; };
        const std::string name = "p_" + to_string(test);
        add({name, p, if_comparing("p " + title), "", [=](Group group) { return p_text(p(group)); }, name});
        add({name + "_holm", p_holm, if_comparing("p Holm"), if_comparing("$p$ (" + title + ", Holm)"),
             [=](Group group) { return p_text(p_holm(group)); }});
    }
    const std::string detectable = if_comparing("detectable diff.");
    add({"detectable", &ResultGroup::detectable, detectable, detectable, rough(&ResultGroup::detectable)});
    add({"detectable_paired", &ResultGroup::detectable_paired, "", "", rough(&ResultGroup::detectable_paired)});
    add({"compared", {}, "", "", [=](Group) { return std::string(measures()[compared].name); }});
    add({"test", {}, "", "", [&table](Group) { return to_string(table.test); }});
    add({"baseline", {}, "", "", [&table](Group group) {
             const ResultGroup* baseline = table.baseline_of(group);
             return baseline ? group_label(table, *baseline) : "";
         }});
    const auto verdict = [&table](Group group) { return to_string(verdict_of(table, group).kind); };
    add({"verdict", {}, if_comparing("verdict"), "", verdict});
    add({"unfinished", &ResultGroup::unfinished});
    add({"failed", &ResultGroup::failed});
    return columns;
}

}  // namespace ropelab
