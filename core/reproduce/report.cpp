#include "core/reproduce/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/forecast/device_need.h"
#include "core/forecast/time_model.h"
#include "core/plan/step_cost.h"
#include "core/reproduce/published/published.h"
#include "core/reproduce/published/source_tests.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/results/results_cells.h"
#include "core/settings/keys.h"
#include "core/settings/run_names.h"
#include "core/sweep/sequential_runs.h"

namespace ropelab {

using nlohmann::json;

std::string row_label(const json& keys) {
    std::string label;
    for (const auto& [key, value] : keys.items()) {
        if (key == "asked" && value == keys.value("data", json())) continue;  // no substitute was used
        const std::string text = value.is_string()   ? value.get<std::string>()
                                 : value.is_number() ? number_in_names(value.get<double>())
                                                     : value.dump();
        label += (label.empty() ? "" : ", ") + key + " " + text;
    }
    return label;
}

std::string measure_heading(const std::string& measure) {
    return is_loss(measure) ? measure + " (" + unit_of(measure) + ")" : measure;
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
    return "Runs of the scale \"smoke\" (a quick check) are too short to learn, so no claim is testable; a test "
           "requires the scale \"laptop\" or \"paper\".";
}

std::string row_reason(const SheetRow& row) {
    if (!row.by_rule) return row.words;
    return withheld_words() + " The row's preregistered rule alone would give the verdict: " + to_string(*row.by_rule) +
           ". " + row.words;
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

namespace {

json sample_json(const Sample& sample) {
    return {{"mean", sample.n > 0 ? json_number(sample.mean) : json()},
            {"std", sample.n > 1 ? json_number(sample.standard_deviation) : json()},
            {"n", sample.n}};
}

json effect_json(const std::optional<RowEffect>& effect) {
    if (!effect) return {};
    return {{"scale", to_string(effect->scale)},
            {"value", json_number(effect->value)},
            {"low", json_number(effect->low)},
            {"high", json_number(effect->high)},
            {"range_low", json_number(effect->range_low)},
            {"range_high", json_number(effect->range_high)},
            {"paper", json_number(effect->paper)}};
}

json row_json(const SheetRow& row) {
    const PlannedRow& plan = row.plan;
    json result = row.spec ? to_json(*row.spec) : json::object();
    result.erase("seed");
    result.update(plan.keys);
    result["claim"] = plan.claim;
    result["measure"] = plan.measure;
    result["ours"] = sample_json(row.ours);
    result["baseline"] = plan.baseline ? sample_json(row.baseline) : json();
    result["paper"] = plan.paper ? sample_json(*plan.paper) : json();
    result["difference"] = json_number(row.difference);
    result["difference_low"] = json_number(row.difference_low);
    result["difference_high"] = json_number(row.difference_high);
    result["difference_percent"] = json_number(row.difference_percent);
    result["effect"] = effect_json(row.effect);
    result["paper_printed_percent"] = json_number(plan.paper_printed);
    result["paper_recomputed"] = {{"difference_percent", json_number(row.paper_difference_percent)},
                                  {"p_student", json_number(row.paper_p_student)},
                                  {"p_welch", json_number(row.paper_p_welch)}};
    result["p_student"] = json_number(row.p_student);
    result["p_welch"] = json_number(row.p_welch);
    result["p_paired"] = json_number(row.p_paired);
    result["p_equivalence"] = json_number(row.p_equivalence);
    result["p_rule"] = json_number(row.p_rule);
    result["p_holm"] = json_number(row.p_holm);
    result["p_refutation"] = json_number(row.p_refutation);
    result["control_percent"] = json_number(row.control_percent);
    result["control_p"] = json_number(row.control_p);
    result["verdict"] = to_string(row.verdict);
    result["by_rule"] = row.by_rule ? json(to_string(*row.by_rule)) : json();
    result["words"] = row.words;
    result["budget"] = budget_words(row);
    result["tuned"] = plan.tuned;
    result["seeds_to_decide"] = or_null(row.seeds_to_decide);
    if (row.sequential) result["sequential"] = sequential_json(*row.sequential);
    result["rule"] = plan.rule ? json(rule_words(plan)) : json();
    result["seeds"] = row.seeds;
    result["values"] = json_list(row.values, json_number);
    result["failed"] = row.failed;
    result["baseline_failed"] = row.baseline_failed;
    result["rule_version"] = plan.rule ? json(plan.rule->version) : json();
    return result;
}

json head_json(const SheetPlan& plan) {
    const std::string stored = stored_rules_words(plan);
    return {{"sheet", plan.sheet},
            {"title", plan.title},
            {"scale", to_string(plan.scale)},
            {"source", plan.source},
            {"notes", plan.notes},
            {"claims", plan.claims},
            {"stored_rules", stored.empty() ? json() : json(stored)}};
}

std::string head_text(const SheetPlan& plan) {
    std::string text = plan.title + "\n" + plan.source + "\n\n";
    for (std::size_t i = 0; i < plan.claims.size(); ++i) {
        text += "Claim " + std::to_string(i + 1) + ": " + plan.claims[i].words + '\n';
    }
    text += '\n';
    for (const std::string& note : plan.notes) text += "Note: " + note + '\n';
    if (const std::string stored = stored_rules_words(plan); !stored.empty()) text += "Note: " + stored + '\n';
    return text;
}

// "undecided", or "not testable (its rule alone would give: undecided)".
std::string verdict_words(const SheetRow& row) {
    return to_string(row.verdict) +
           (row.by_rule ? " (its rule alone would give: " + to_string(*row.by_rule) + ")" : "");
}

// "reproduced, 1 run failed", "undecided, stopped for futility".
std::string verdict_cell(const SheetRow& row) {
    using End = SequentialResult::End;
    const bool says_why = row.sequential && row.verdict == SheetVerdict::undecided &&
                          (row.sequential->end == End::futile || row.sequential->end == End::budget);
    return to_string(row.verdict) + (says_why ? ", " + to_string(row.sequential->end) : "") +
           (row.failed > 0 ? ", " + counted(row.failed, "run") + " failed" : "");
}

std::string table_text(const SheetPlan& plan, const std::vector<const SheetRow*>& rows) {
    Table table{
        Table::columns_of({measure_heading(rows.front()->plan.measure), "this lab", "n", "difference [%]", "p (Holm)",
                           "p (Student)", "published", "published difference [%] (p Student, p Welch)", "verdict"},
                          "lrrrrrrrl"),
        {}};
    for (const SheetRow* row : rows) {
        table.rows.push_back({row_label(row->plan.keys), ours_text(*row), std::to_string(row->ours.n),
                              signed_percent(row->difference_percent), verdict_p_text(*row), p_text(row->p_student),
                              row->plan.paper ? sample_text(*row->plan.paper) : missing_cell, recomputed_text(*row),
                              verdict_cell(*row)});
    }
    std::string text = '\n' + table.text();
    for (const SheetRow* row : rows) {
        if (row->words.empty()) continue;
        const std::string claim = row->plan.claim.empty() ? "" : claim_title(plan, row->plan.claim) + ", ";
        text += "  " + claim + row_label(row->plan.keys) + ": " + verdict_words(*row) + ". " + row->words + '\n';
    }
    std::set<std::string> budgets;
    for (const SheetRow* row : rows) budgets.insert(budget_words(*row));
    budgets.erase("");
    for (const std::string& budget : budgets) text += "  " + budget + '\n';
    return text;
}

std::string verdicts_text(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::string text;
    for (const ClaimVerdict& claim : claim_verdicts(plan, rows)) {
        if (!claim.words.empty()) text += "  " + claim_title(plan, claim.claim) + ": " + claim.words + '\n';
    }
    if (text.empty()) return text;
    text = "\nVerdicts by claim:\n" + text;
    const std::vector<std::string> rankings = rankings_of(rows);
    if (!rankings.empty()) text += "\nRanking of the groups by loss, for each length of training:\n";
    for (const std::string& ranking : rankings) text += "  " + ranking + '\n';
    return text;
}

std::string rules_text(const SheetPlan& plan) {
    std::string text = "\nRules (preregistered):\n";
    for (const std::string& rule : rules_of(plan)) text += "  " + rule + '\n';
    return text;
}

std::string in_brackets(double chance) {
    return " (" + chance_text(chance) + (chance < 1 ? " by chance)" : ")");
}

}  // namespace

json sheet_json(const SheetPlan& plan, std::span<const SheetRow> rows, std::span<const ScoredPrediction> predictions) {
    json result = head_json(plan);
    result["rows"] = json_list(rows, row_json);
    const std::vector<ClaimVerdict> verdicts = claim_verdicts(plan, rows);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        json& claim = result["claims"][i];
        claim["verdict"] = to_string(verdicts[i].verdict);
        claim["verdict_words"] = verdicts[i].words;
        claim["verdicts"] = json::object();
        for (const SheetRow& row : rows) {
            if (row.plan.claim != claim["id"].get_ref<const std::string&>()) continue;
            json& count = claim["verdicts"][to_string(row.verdict)];
            count = count.is_null() ? 1 : count.get<int>() + 1;
        }
    }
    result["rankings"] = rankings_of(rows);
    result["predictions"] = predictions_json(plan, predictions);
    result["calibration"] = calibration_json(calibration_of(predictions));
    result["paper_checks"] = paper_checks(plan.sheet);
    result["source_tests"] = source_tests_json(plan.sheet);
    result["published_benchmarks"] = benchmark_table_json(plan.sheet);
    return result;
}

json predictions_json(const SheetPlan& plan, std::span<const ScoredPrediction> predictions) {
    json result = predictions_json(plan);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        result[i]["outcome"] = to_string(predictions[i].outcome);
        result[i]["outcome_words"] = predictions[i].words;
        result[i]["chance_of_scored"] = predictions[i].chance;
        result[i]["unit"] = predictions[i].unit;
        result[i]["groups"] = json_list(predictions[i].groups, [](const ScoredPrediction::Group& group) {
            json entry = sample_json(group.sample);
            entry.update({{"label", group.label}, {"predicted_low", group.low}});
            return entry;
        });
        const auto& test = predictions[i].test;
        result[i]["test"] = test ? json{{"name", "welch"},
                                        {"t", test->t},
                                        {"degrees_of_freedom", test->degrees_of_freedom},
                                        {"p", test->p}}
                                 : json();
        result[i]["earlier_rule"] = has_earlier_rule(predictions[i].prediction);
    }
    return result;
}

std::vector<std::string> unscored_words(std::span<const ScoredPrediction> predictions) {
    struct Reason {
        std::string words;
        std::vector<std::pair<std::string, int>> counts;  // by theory and quantity
    };
    const auto found_or_new = [](auto& list, auto member, const std::string& name) -> auto& {
        const auto found =
            std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.*member == name; });
        if (found != list.end()) return *found;
        list.emplace_back().*member = name;
        return list.back();
    };
    std::vector<Reason> reasons;
    for (const ScoredPrediction& each : predictions) {
        if (each.outcome != ScoredPrediction::Outcome::unmeasured) continue;
        const std::string what = each.prediction.theory + ", " + each.prediction.quantity;
        ++found_or_new(found_or_new(reasons, &Reason::words, each.words).counts, &std::pair<std::string, int>::first,
                       what)
              .second;
    }
    std::vector<std::string> result;
    for (const Reason& reason : reasons) {
        std::string text;
        for (const auto& [what, count] : reason.counts) {
            const std::string noun = text.empty() ? (count == 1 ? " prediction of " : " predictions of ") : " of ";
            text += (text.empty() ? "" : "; ") + std::to_string(count) + noun + what;
        }
        result.push_back("not scored: " + text + ". " + reason.words +
                         " The JSON output contains the full texts of the predictions.");
    }
    return result;
}

std::string predictions_text(std::span<const ScoredPrediction> predictions, const std::string& of) {
    std::string text = predictions.empty() ? "" : "\nPredictions (preregistered)" + of + ":\n";
    for (const ScoredPrediction& each : predictions) {
        if (each.outcome == ScoredPrediction::Outcome::unmeasured) continue;
        text += "  " + to_string(each.outcome) + in_brackets(each.chance) + ": " + each.prediction.theory + ", " +
                each.prediction.quantity + ": " + each.prediction.words + ' ' + null_model_words(each.prediction) +
                ' ' + each.words + '\n';
    }
    for (const std::string& words : unscored_words(predictions)) text += "  " + words + '\n';
    return text;
}

std::string calibration_text(std::span<const ScoredPrediction> predictions) {
    const std::string words = calibration_words(calibration_of(predictions));
    return words.empty() ? "" : "  " + words + '\n';
}

std::string sheet_text(const SheetPlan& plan, std::span<const SheetRow> rows,
                       std::span<const ScoredPrediction> predictions) {
    std::string text = head_text(plan);
    if (std::any_of(rows.begin(), rows.end(), [](const SheetRow& row) { return row.by_rule.has_value(); }))
        text += "Note: " + withheld_words() + " The tables also state the verdict that each rule alone would give.\n";
    text += verdicts_text(plan, rows);
    for (const auto& table : tables_of(rows)) text += table_text(plan, table);
    text += rules_text(plan);
    text += predictions_text(predictions);
    text += calibration_text(predictions);
    text += source_tests_text(plan.sheet);
    const auto checks = paper_checks(plan.sheet);
    if (checks.empty()) return text;
    text += "\nStatements of the source (paper or post) that disagree with the source's own numbers:\n";
    for (const PaperCheck& check : checks) {
        if (check.agrees) continue;
        text += "  " + check.what + ": printed " + check.printed + "; recomputed " + check.recomputed + '\n';
    }
    const auto agreeing = std::count_if(checks.begin(), checks.end(), [](const auto& check) { return check.agrees; });
    return text + "  (" + std::to_string(agreeing) + " of " + std::to_string(checks.size()) +
           " checked statements agree)\n";
}

json plan_json(const SheetPlan& plan, const std::filesystem::path& data_dir, const TimeModel& model) {
    json result = head_json(plan);
    const auto specs = plan.experiment.expand();
    const Estimate cost = sheet_cost(plan, specs, model, data_dir);
    result["experiment"] = plan.experiment.to_json();
    result["runs"] = json_list(specs, [](const RunSpec& spec) { return to_json(spec); });
    result["estimate"] = {{"runs", cost.runs},      {"cohorts", cost.cohorts},    {"seconds", cost.seconds},
                          {"speed", model.place()}, {"memory_bytes", cost.bytes}, {"parameters", cost.parameters}};
    result["one_by_one"] = plan.sequential;
    result["rows"] = to_json(plan).at("rows");
    result["predictions"] = predictions_json(plan);
    result["paper_checks"] = paper_checks(plan.sheet);
    result["source_tests"] = source_tests_json(plan.sheet);
    result["published_benchmarks"] = benchmark_table_json(plan.sheet);
    return result;
}

std::string plan_text(const SheetPlan& plan, const std::filesystem::path& data_dir, const TimeModel& model) {
    const auto specs = plan.experiment.expand();
    const Estimate cost = sheet_cost(plan, specs, model, data_dir);
    std::string text = head_text(plan);
    text +=
        "\nRuns: " + std::string(plan.stopping ? "at most " : "") + std::to_string(cost.runs) +
        (plan.sequential ? ", trained sequentially,"
                         : ", trained in " + std::to_string(cost.cohorts) + " cohorts (runs trained as one batch)") +
        "; about " + model.duration(cost.seconds) + " " + model.place() + " with all evaluations and measurements, " +
        bytes_text(cost.bytes) +
        " of memory"
        ", at most " +
        rough_text(static_cast<double>(cost.parameters) / 1e6) + " million parameters.\n";
    if (plan.stopping) {
        std::vector<RunSpec> first;
        for (const std::size_t i : first_runs(plan.experiment, *plan.stopping)) first.push_back(specs[i]);
        text += "Before the first look: " + counted(first.size(), "run") + ", about " +
                model.duration(sheet_cost(plan, first, model, data_dir).seconds) + ".\n";
    }
    for (const auto& [label, runs] : settings_of(specs)) text += "  " + label + ": " + counted(runs, "run") + '\n';
    text += rules_text(plan);
    if (!plan.predictions.empty()) text += "\nPredictions:\n";
    for (const Prediction& prediction : plan.predictions) {
        text += "  " + prediction.theory + ", " + prediction.quantity + in_brackets(prediction.chance) + ": " +
                prediction.words + ' ' + null_model_words(prediction) + '\n';
    }
    const auto needs = needs_of(plan);
    if (!needs.empty()) text += "\nTests that are not possible at this scale:\n";
    for (const std::string& need : needs) text += "  " + need + '\n';
    return text;
}

namespace {

std::string latex_label(const json& keys) {
    std::string label = latex_text(row_label(keys));
    const auto theta = label.find("theta");
    if (theta != std::string::npos) label.replace(theta, 5, "$\\theta$");
    return label;
}

std::vector<std::string> latex_cells(const SheetRow& row) {
    const std::optional<double> recomputed = row.plan.baseline ? row.paper_difference_percent : std::nullopt;
    return {latex_label(row.plan.keys),
            is_event(row.plan.measure) ? ours_text(row) : latex_number(ours_text(row)),
            std::to_string(row.ours.n),
            latex_number(signed_percent(row.difference_percent)),
            latex_number(verdict_p_text(row)) + (row.p_student ? "; " + latex_number(p_text(row.p_student)) : ""),
            latex_number(sample_text(row.plan.paper.value_or(Sample{}))),
            latex_number(signed_percent(recomputed)),
            latex_text(verdict_cell(row))};
}

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
    words += data.empty() ? "none." : joined(data) + ".";
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
        " p: p value of the preregistered test after Holm's correction over the rows of its family; the test is for a "
        "difference unless a word in brackets names another one. After the semicolon: p of Student's two-tailed t test "
        "of the means, not corrected. Scale: " +
        to_string(plan.scale) + ".";
    if (plan.scale == SheetScale::smoke) words += " " + withheld_words();
    return latex_text(words);
}

}  // namespace

std::string sheet_csv(std::span<const SheetRow> rows) {
    std::set<std::string> keys;
    for (const SheetRow& row : rows) {
        for (const auto& [key, value] : row.plan.keys.items()) keys.insert(key);
    }
    std::vector<std::string> headings = {"claim", "measure"};
    headings.insert(headings.end(), keys.begin(), keys.end());
    for (std::string& heading : parts_of(
             "ours_mean,ours_std,ours_n,baseline_mean,baseline_std,baseline_n,paper_mean,paper_std,paper_n,difference,"
             "difference_percent,paper_printed_percent,paper_recomputed_percent,paper_p_student,paper_p_welch,"
             "p_student,p_welch,p_paired,p_equivalence,p_rule,p_holm,verdict,failed,values,rule,words,by_rule")) {
        headings.push_back(std::move(heading));
    }
    Table table = Table::titled(headings, "l");
    for (const SheetRow& row : rows) {
        std::vector<std::string> cells = {row.plan.claim, row.plan.measure};
        for (const std::string& key : keys) {
            const json value = row.plan.keys.value(key, json());
            cells.push_back(value.is_null()     ? std::string()
                            : value.is_number() ? csv_number(value.get<double>())
                            : value.is_string() ? value.get<std::string>()
                                                : value.dump());
        }
        const Sample none;
        for (const Sample& sample :
             {row.ours, row.plan.baseline ? row.baseline : none, row.plan.paper.value_or(none)}) {
            const bool is_known = sample.n > 0;
            cells.push_back(is_known ? csv_number(sample.mean) : "");
            cells.push_back(sample.n > 1 ? csv_number(sample.standard_deviation) : "");
            cells.push_back(is_known ? std::to_string(sample.n) : "");
        }
        for (const std::optional<double>& number :
             {row.difference, row.difference_percent, row.plan.paper_printed, row.paper_difference_percent,
              row.paper_p_student, row.paper_p_welch, row.p_student, row.p_welch, row.p_paired, row.p_equivalence,
              row.p_rule, row.p_holm}) {
            cells.push_back(csv_number(number));
        }
        std::vector<std::string> values;
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            values.push_back(std::to_string(row.seeds[i]) + ":" + csv_number(row.values[i]));
        }
        cells.insert(cells.end(), {to_string(row.verdict), std::to_string(row.failed), joined(values, " "),
                                   rule_words(row.plan), row.words, row.by_rule ? to_string(*row.by_rule) : ""});
        table.rows.push_back(std::move(cells));
    }
    return table.csv();
}

std::string sheet_latex(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::string text = "% Cells show mean and sample standard deviation over n seeds.\n";
    text += "% " + plan.title + ", " + to_string(plan.scale) + " scale\n% " + plan.source + "\n";
    for (const std::string& note : plan.notes) text += "% " + note + "\n";
    for (const std::string& rule : rules_of(plan)) text += "% " + rule + "\n";
    for (const auto& of_measure : tables_of(rows)) {
        const std::string& measure = of_measure.front()->plan.measure;
        Table table = Table::titled({latex_text(measure_heading(measure)), "ours", "$n$", "diff. (\\%)",
                                     "$p$ (Holm; Student)", "published", "published (\\%)", "verdict"},
                                    "lrrrrrrl");
        for (const SheetRow* row : of_measure) table.rows.push_back(latex_cells(*row));
        text += table.latex({sheet_caption(plan, of_measure), "tab:" + plan.sheet + "-" + measure, ""}) + "\n";
    }
    return text;
}

}  // namespace ropelab
