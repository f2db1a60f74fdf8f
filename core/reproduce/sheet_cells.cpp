#include "core/reproduce/sheet_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/data/known_sets.h"
#include "core/experiment/experiment.h"
#include "core/plan/device_need.h"
#include "core/plan/step_cost.h"
#include "core/reproduce/rules/measuring.h"
#include "core/results/results_cells.h"
#include "core/run/probing.h"
#include "core/spec/numbers.h"
#include "core/spec/run_names.h"

namespace ropelab {

using nlohmann::json;

std::string row_label(const json& keys) {
    std::string label;
    for (const auto& [key, value] : keys.items()) {
        if (key == "asked" && value == keys.value("data", json())) continue;  // no substitute was used
        const std::string text = value.is_string()   ? value.get<std::string>()
                                 : value.is_number() ? short_number(value.get<double>())
                                                     : value.dump();
        label += (label.empty() ? "" : ", ") + key + " " + text;
    }
    return label;
}

std::string measure_heading(const std::string& measure) {
    return is_loss(measure) ? measure + " (" + unit_of(measure) + ")" : measure;
}

bool is_loss(const std::string& measure) {
    const std::string unit = unit_of(measure);
    return unit == "nats" || unit == "bits";
}

bool is_event(const std::string& measure) {
    return measure == spiked || measure == spiked_early;
}

std::string ours_text(const SheetRow& row) {
    if (!is_event(row.plan.measure)) return sample_text(row.ours);
    if (row.ours.n == 0) return missing_cell;
    return std::to_string(std::lround(row.ours.mean * static_cast<double>(row.ours.n))) + " of " +
           std::to_string(row.ours.n);
}

std::string sample_text(const Sample& sample) {
    if (sample.n == 0 || !std::isfinite(sample.mean)) return missing_cell;
    const int decimals = std::abs(sample.mean) < 100 ? 4 : 1;
    const std::string mean = fixed_text(sample.mean, decimals);
    return std::isfinite(sample.standard_deviation) ? mean + " ± " + fixed_text(sample.standard_deviation, decimals)
                                                    : mean;
}

std::string verdict_p_text(const SheetRow& row) {
    const std::string p = p_text(row.is_by_refutation ? row.p_refutation : row.p_holm);
    if (!row.plan.rule || p == missing_cell) return p;
    using Kind = VerdictRule::Kind;
    const Kind kind = row.plan.rule->kind;
    if (kind != Kind::difference && kind != Kind::equivalence) return p + (row.is_by_refutation ? " (refutation)" : "");
    const bool is_equivalence = (kind == Kind::equivalence) != row.is_by_refutation;
    return p + (is_equivalence ? " (equivalence)" : kind == Kind::equivalence ? " (difference)" : "");
}

std::string withheld_words() {
    return "Smoke runs learn nothing, so no claim is testable; a test requires the scale laptop or paper.";
}

std::string row_reason(const SheetRow& row) {
    if (!row.by_rule) return row.words;
    return withheld_words() + " By its rule alone the row would be " + to_string(*row.by_rule) + ". " + row.words;
}

std::string recomputed_text(const SheetRow& row) {
    if (!row.paper_difference_percent || !row.plan.baseline) return missing_cell;
    std::string text = signed_percent(row.paper_difference_percent);
    if (row.paper_p_student) text += " (" + p_text(row.paper_p_student) + ", " + p_text(row.paper_p_welch) + ")";
    return text;
}

std::vector<std::vector<const SheetRow*>> tables_of(std::span<const SheetRow> rows) {
    std::vector<std::vector<const SheetRow*>> tables;
    std::map<std::string, std::size_t> positions;
    for (const SheetRow& row : rows) {
        const auto [found, fresh] = positions.emplace(row.plan.measure, tables.size());
        if (fresh) tables.emplace_back();
        tables[found->second].push_back(&row);
    }
    return tables;
}

std::string claim_title(const SheetPlan& plan, const std::string& id) {
    for (std::size_t i = 0; i < plan.claims.size(); ++i) {
        if (plan.claims[i].id == id) return "claim " + std::to_string(i + 1);
    }
    return "claim";
}

std::vector<std::string> rules_of(const SheetPlan& plan) {
    std::set<std::string> known;
    std::vector<std::string> rules;
    for (const PlannedRow& row : plan.rows) {
        const std::string rule = rule_words(row);
        if (rule.empty()) continue;
        std::string words = "Rule of " + claim_title(plan, row.claim) + ": " + rule;
        if (known.insert(words).second) rules.push_back(std::move(words));
    }
    return rules;
}

std::vector<std::string> rankings_of(std::span<const SheetRow> rows) {
    std::vector<std::string> result;
    for (const auto& table : tables_of(rows)) {
        std::map<std::int64_t, std::map<GroupKeys, double>> means;  // by number of steps
        for (const SheetRow* row : table) {
            const std::int64_t steps = row->plan.keys.value("iterations", std::int64_t{0});
            if (is_loss(row->plan.measure) && steps > 0 && row->ours.n > 0) {
                means[steps][row->plan.group] = row->ours.mean;
            }
        }
        if (means.size() < 2) continue;
        for (const auto& [steps, losses] : means) {
            std::vector<GroupKeys> groups;
            std::vector<std::pair<double, std::string>> order;
            for (const auto& [group, mean] : losses) groups.push_back(group);
            for (std::size_t i = 0; i < groups.size(); ++i) {
                order.emplace_back(losses.at(groups[i]), differing_text(groups, i));
            }
            std::sort(order.begin(), order.end());
            std::string words = table.front()->plan.measure + " after " + grouped(steps) + " steps:";
            for (const auto& [mean, group] : order) {
                words += (words.ends_with(':') ? " " : ", ") + group + " " + fixed_text(mean, 4);
            }
            result.push_back(words + ".");
        }
    }
    return result;
}

std::vector<std::string> needs_of(const SheetPlan& plan) {
    std::set<std::string> needs;
    for (const PlannedRow& row : plan.rows) {
        if (!row.out_of_reach.empty()) needs.insert(row.out_of_reach);
    }
    return {needs.begin(), needs.end()};
}

std::vector<std::pair<std::string, int>> settings_of(std::span<const RunSpec> specs) {
    std::vector<RunSpec> distinct;  // specs without their seeds
    std::vector<int> runs;
    for (RunSpec spec : specs) {
        spec.seed = RunSpec{}.seed;
        const auto known = std::find(distinct.begin(), distinct.end(), spec);
        if (known == distinct.end()) {
            distinct.push_back(spec);
            runs.push_back(1);
        } else {
            ++runs[static_cast<std::size_t>(known - distinct.begin())];
        }
    }
    std::vector<RunSpec> without_data = distinct;  // the data set precedes the name
    for (RunSpec& spec : without_data) spec.data = RunSpec{}.data;
    const std::vector<std::string> names = run_names(without_data);
    std::vector<std::pair<std::string, int>> settings;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        settings.emplace_back(distinct[i].data + ", " + names[i], runs[i]);
    }
    return settings;
}

Estimate sheet_cost(const SheetPlan& plan, const std::vector<RunSpec>& specs, const TimeModel& model,
                    const std::filesystem::path& data_dir) {
    Estimate cost = estimate(specs, model, data_dir);
    if (plan.sequential) {
        cost.cohorts = cost.runs;
        cost.bytes = 0;
        cost.seconds = 0;
        bool first = true;
        for (const RunSpec& spec : specs) {
            const Estimate alone = estimate({spec}, model, data_dir, first);
            cost.seconds += alone.seconds;
            cost.bytes = std::max(cost.bytes, alone.bytes);
            first = false;
        }
    }
    for (const RunSpec& spec : specs) {
        cost.seconds += model.seconds(model.key_of(spec), TimedPart::measuring, measuring_work(plan, spec));
    }
    return cost;
}

}  // namespace ropelab
