// Converts the results table to CSV and JSON.

#include "core/stats/results_cells.h"
#include "core/stats/results_table.h"
#include "core/stats/theta_curve.h"

namespace ropelab {

namespace {

using nlohmann::json;

json json_interval(const std::optional<DifferenceInterval>& estimate) {
    return estimate ? json{json_number(estimate->low), json_number(estimate->high)} : json{nullptr, nullptr};
}

json json_sample(const Description& described, const std::vector<double>& raw) {
    json values = json::array();
    for (const double value : raw) values.push_back(json_number(value));
    return {{"n", described.n},
            {"mean", json_number(described.mean)},
            {"std", json_number(described.standard_deviation)},
            {"minimum", json_number(described.minimum)},
            {"maximum", json_number(described.maximum)},
            {"standard_error", json_number(described.standard_error)},
            {"confidence_95", {json_number(described.confidence_low), json_number(described.confidence_high)}},
            {"values", std::move(values)}};
}

}  // namespace

std::string results_csv(const ResultsTable& table, const TableStyle& style) {
    const std::vector<ResultsColumn> columns = chosen_columns(table, PrintedFormat::csv, style);
    std::string result;
    const auto separator = [&](const ResultsColumn& column) { return &column == &columns.back() ? "\r\n" : ","; };
    for (const ResultsColumn& column : columns) result += csv_field(column.name) + separator(column);
    for (const ResultGroup& group : table.groups) {
        for (const ResultsColumn& column : columns) {
            result += column.number ? csv_number(column.number(group)) : csv_field(column.cell(group));
            result += separator(column);
        }
    }
    return result;
}

json results_json(const ResultsTable& table) {
    json groups = json::array();
    for (const ResultGroup& group : table.groups) {
        json entry = {{"settings", group.settings},
                      {"seeds", group.seeds},
                      {"n", counted_runs(table, group)},
                      {"runs", group.members.size()},
                      {"runs_words", runs_cell(table, group)},
                      {"unfinished", group.unfinished},
                      {"failed", group.failed},
                      {"repeated", group.repeated},
                      {"excluded", group.excluded.size()}};
        for (const std::string_view name : condition_names) {
            const auto counts = group.conditions.find(std::string(name));
            entry["chosen_" + std::string(name)] =
                counts == group.conditions.end() ? json::object() : json(counts->second);
        }
        if (!group.name.empty()) entry["name"] = group_name(table, group);
        entry["measurements"] = json::object();
        for (const auto& [name, described] : group.measurements) {
            entry["measurements"][name] = {{"n", described.n},
                                           {"mean", json_number(described.mean)},
                                           {"std", json_number(described.standard_deviation)}};
        }
        const ResultGroup* baseline = table.baseline_of(group);
        entry["baseline"] = baseline ? json(baseline->settings) : json();
        entry["survivors_only"] = table.compares_survivors(group);
        const Comparison& comparison = group.comparison(table.test);
        entry["difference"] = json_number(group.difference);
        entry["difference_confidence_95"] = json_interval(comparison.estimate);
        entry["difference_percent"] = json_number(group.difference_percent);
        entry["improvement_percent"] = json_number(group.improvement_percent);
        entry["pairs"] = group.pairs;
        entry["detectable"] = json_number(comparison.detectable);
        entry["detectable_paired"] = json_number(group.paired.detectable);
        entry["seeds_needed"] = comparison.seeds_needed ? json(*comparison.seeds_needed) : json();
        const Verdict verdict = verdict_of(table, group);
        entry["verdict"] = {{"kind", to_string(verdict.kind)}, {"words", verdict.words}};
        for (std::size_t i = 0; i < measure_count; ++i) {
            entry[std::string(measures()[i].name)] = json_sample(group.described[i], group.values(i));
        }
        if (table.target_loss) entry["iterations_until"] = json_sample(group.until, group.iterations_until);
        const std::array<std::pair<const char*, const Comparison*>, 3> tests = {
            {{"student", &group.student}, {"welch", &group.welch}, {"paired", &group.paired}}};
        for (const auto& [name, test] : tests) {
            const auto& statistics = test->test;
            entry[name] = {{"p", json_number(test->p)},
                           {"p_holm", json_number(test->p_holm)},
                           {"t", statistics ? json_number(statistics->t) : json()},
                           {"degrees_of_freedom", statistics ? json_number(statistics->degrees_of_freedom) : json()},
                           {"difference", test->estimate ? json_number(test->estimate->difference) : json()},
                           {"difference_confidence_95", json_interval(test->estimate)},
                           {"detectable", json_number(test->detectable)},
                           {"seeds_needed", test->seeds_needed ? json(*test->seeds_needed) : json()}};
        }
        groups.push_back(std::move(entry));
    }
    json units = json::object();
    for (const Measure& measure : measures()) units[std::string(measure.name)] = std::string(measure.unit);
    return {{"swept", table.swept},
            {"units", std::move(units)},
            {"compared", std::string(measures()[table.compared].name)},
            {"test", to_string(table.test)},
            {"target_loss", json_number(table.target_loss)},
            {"baseline", table.groups.empty() ? json() : json(table.groups[table.baseline].settings)},
            {"warnings", condition_warnings(table)},
            {"theta_curves", theta_curves_json(table)},
            {"groups", std::move(groups)}};
}

}  // namespace ropelab
