#include "core/experiment/sheets/sheet_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/experiment/experiment.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

using nlohmann::json;

std::string row_label(const json& keys) {
    std::string label;
    for (const auto& [key, value] : keys.items()) {
        if (key == "asked" && value == keys.value("data", json())) continue;  // the text itself, not a stand-in
        const std::string text = value.is_string()   ? value.get<std::string>()
                                 : value.is_number() ? short_number(value.get<double>())
                                                     : value.dump();
        label += (label.empty() ? "" : ", ") + key + " " + text;
    }
    return label;
}

std::string sample_text(const Sample& sample) {
    if (sample.n == 0 || !std::isfinite(sample.mean)) return missing_cell;
    const int decimals = std::abs(sample.mean) < 100 ? 4 : 1;
    const std::string mean = fixed_text(sample.mean, decimals);
    return std::isfinite(sample.standard_deviation) ? mean + " ± " + fixed_text(sample.standard_deviation, decimals)
                                                    : mean;
}

std::string recomputed_text(const SheetRow& row) {
    if (!row.paper_difference_percent || !row.plan.baseline) return missing_cell;
    std::string text = signed_percent(row.paper_difference_percent);
    if (row.paper_p_student) text += " (" + p_text(row.paper_p_student) + ", " + p_text(row.paper_p_welch) + ")";
    return text;
}

std::vector<std::vector<const SheetRow*>> tables_of(std::span<const SheetRow> rows) {
    std::vector<std::vector<const SheetRow*>> tables;
    std::map<std::string, std::size_t> place;
    for (const SheetRow& row : rows) {
        const auto [found, fresh] = place.emplace(row.plan.measure, tables.size());
        if (fresh) tables.emplace_back();
        tables[found->second].push_back(&row);
    }
    return tables;
}

std::vector<std::string> rules_of(const SheetPlan& plan) {
    std::set<std::string> known;
    std::vector<std::string> rules;
    for (const PlannedRow& row : plan.rows) {
        if (!row.rule) continue;
        std::string words = row.claim + ": " + rule_words(*row.rule);
        if (known.insert(words).second) rules.push_back(std::move(words));
    }
    return rules;
}

std::vector<std::string> needs_of(const SheetPlan& plan) {
    std::set<std::string> needs;
    for (const PlannedRow& row : plan.rows) {
        if (!row.out_of_reach.empty()) needs.insert(row.out_of_reach);
    }
    return {needs.begin(), needs.end()};
}

std::vector<std::pair<std::string, int>> settings_of(std::span<const RunSpec> specs) {
    std::map<std::string, std::size_t> place;
    std::vector<std::pair<std::string, int>> settings;
    for (const RunSpec& spec : specs) {
        const std::string label = spec.data + ", " + label_of(spec);
        const auto [found, fresh] = place.emplace(label, settings.size());
        if (fresh) settings.emplace_back(label, 0);
        ++settings[found->second].second;
    }
    return settings;
}

Estimate sheet_cost(const SheetPlan& plan, const std::vector<RunSpec>& specs, double operations_per_second) {
    if (!plan.one_by_one) return estimate(specs, operations_per_second);
    Estimate cost;
    for (const RunSpec& spec : specs) {
        const Estimate single = estimate({spec}, operations_per_second);
        cost.seconds += single.seconds;
        cost.bytes = std::max(cost.bytes, single.bytes);
        cost.parameters = std::max(cost.parameters, single.parameters);
        ++cost.runs;
        ++cost.cohorts;
    }
    return cost;
}

}  // namespace ropelab
