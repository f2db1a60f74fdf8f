#include "core/reproduce/sheet_lab.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <tuple>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/reproduce/report.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/settings/run_names.h"
#include "core/store/run_settings.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/search.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

struct Documents {
    nlohmann::json sheet, predictions = nlohmann::json::array();
};

Documents documents_of(const LabFile& lab, std::int64_t experiment) {
    Documents result;
    for (const DocumentRecord& document : lab.documents(experiment)) {
        if (document.kind == sheet_document) result.sheet = parse_bounded(document.text);
        if (document.kind == predictions_document) result.predictions = parse_bounded(document.text);
    }
    return result;
}

}  // namespace

std::int64_t enter_sheet(LabFile& lab, const SheetPlan& plan) {
    std::int64_t experiment = 0;
    const auto documents = [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>&) {
        experiment = id;
        if (plan.stopping) file.add_document(id, stopping_document, to_json(*plan.stopping).dump());
        file.add_document(id, predictions_document, predictions_json(plan).dump());
        file.add_document(id, sheet_document, to_json(plan).dump());
    };
    if (plan.stopping)
        plan_new_runs(lab, plan.experiment, first_runs(plan.experiment, *plan.stopping), documents);
    else
        plan_new_runs(lab, plan.experiment, documents);
    return experiment;
}

namespace {

constexpr std::int64_t tuning_seeds = 2;

// The settings of a sheet, without seeds, in the order of the runs.
std::vector<RunSpec> arms_of(const SheetPlan& plan) {
    std::vector<RunSpec> arms;
    const std::int64_t seed = seeds_of(plan).front();
    for (RunSpec& spec : plan.experiment.expand()) {
        if (spec.seed == seed) arms.push_back(std::move(spec));
    }
    const bool differs =
        std::ranges::any_of(arms,
                            [&](const RunSpec& arm) { return arm.learning_rate != arms.front().learning_rate; }) ||
        std::ranges::any_of(plan.rows, [](const PlannedRow& row) { return row.group.contains("learning_rate"); });
    if (differs)
        throw BadInput("The groups of the sheet " + plan.sheet +
                       " have learning rates of their own, so no search tunes them; leave out --tune-baselines.");
    return arms;
}

RunSpec tuned(RunSpec arm, double factor) {
    arm.learning_rate *= factor;
    arm.final_learning_rate *= factor;
    return arm;
}

// Every setting that has not its default, as typed.
std::map<std::string, std::string> typed_settings(const RunSpec& spec) {
    std::map<std::string, std::string> result;
    const nlohmann::json settings = to_json(spec);
    for (const auto& [key, value] : settings.items()) {
        if (key != "seed" && value != default_settings().at(key)) result[key] = typed_text(key, value);
    }
    return result;
}

Experiment experiment_of(const SheetPlan& plan, const std::vector<RunSpec>& settings,
                         const std::vector<std::int64_t>& seeds) {
    Experiment experiment(plan.experiment.name());
    std::vector<std::map<std::string, std::string>> runs;
    for (const RunSpec& spec : settings) runs.push_back(typed_settings(spec));
    experiment.set_explicit_runs(std::move(runs));
    std::vector<std::string> texts;
    for (const std::int64_t seed : seeds) texts.push_back(std::to_string(seed));
    experiment.set("seed", std::move(texts));
    return experiment;
}

}  // namespace

Experiment tuning_experiment(const SheetPlan& plan) {
    std::vector<RunSpec> settings;
    for (const RunSpec& arm : arms_of(plan)) {
        for (const double factor : tuning_factors) settings.push_back(tuned(arm, factor));
    }
    std::vector<std::int64_t> seeds;
    for (std::int64_t i = 1; i <= tuning_seeds; ++i) seeds.push_back(seeds_of(plan).back() + i);
    return experiment_of(plan, settings, seeds);
}

std::string tuning_words(const SheetPlan& plan) {
    const std::size_t arms = arms_of(plan).size();
    return "The same search, fixed beforehand, tunes each of the " + counted(arms, "setting") +
           ": its learning rate times " +
           joined(tuning_factors, ", ", [](double factor) { return number_text(factor); }) + " on " +
           counted(tuning_seeds, "seed") + " that no row uses, " +
           counted(arms * tuning_factors.size() * tuning_seeds, "run") +
           "; the lowest mean final validation loss decides.";
}

SheetPlan tuned_plan(SheetPlan plan, const LabFile& search) {
    std::map<nlohmann::json, double> losses;  // by settings
    for (const RunRecord& run : search.runs()) {
        if (run.state != RunState::finished && run.state != RunState::failed) continue;
        const bool has_loss = run.state == RunState::finished && run.summary;
        losses[to_json(stored_spec(run))] =
            has_loss ? run.summary->final_validation_loss : std::numeric_limits<double>::infinity();
    }
    const std::vector<RunSpec> arms = arms_of(plan);
    const std::vector<RunSpec> runs = tuning_experiment(plan).expand();
    const auto loss_of = [&](const RunSpec& setting) {
        double sum = 0;
        for (std::int64_t i = 1; i <= tuning_seeds; ++i) {
            RunSpec run = setting;
            run.seed = seeds_of(plan).back() + i;
            const auto found = losses.find(to_json(run));
            if (found == losses.end())
                throw BadInput("The lab file " + search.path().string() +
                               " lacks a run of the search that tunes the sheet " + plan.sheet +
                               "; delete it, or name another lab file for the sheet.");
            sum += std::isfinite(found->second) ? found->second : std::numeric_limits<double>::infinity();
        }
        return sum;
    };
    std::vector<RunSpec> chosen;
    std::map<double, std::vector<std::string>> names;  // of the settings, by factor
    const std::vector<std::string> arm_names = run_names(arms);
    for (std::size_t i = 0; i < arms.size(); ++i) {
        double best = 1, least = loss_of(arms[i]);
        for (const double factor : tuning_factors) {
            const double loss = loss_of(tuned(arms[i], factor));
            if (loss < least) std::tie(best, least) = std::pair(factor, loss);
        }
        chosen.push_back(tuned(arms[i], best));
        names[best].push_back(arm_names[i]);
    }
    std::erase(plan.notes, untuned_note);
    std::string factors;
    for (const auto& [factor, list] : names)
        factors += " Times " + number_text(factor) + ": " + joined(list, "; ") + ".";
    plan.notes.push_back(tuning_words(plan) + " Chosen factors of the learning rate." + factors);
    plan.experiment = experiment_of(plan, chosen, seeds_of(plan));
    for (PlannedRow& row : plan.rows) row.tuned = true;
    return plan;
}

void enter_predictions(LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>& runs) {
    const SheetPlan plan = predicted(runs);
    if (!plan.predictions.empty()) {
        lab.add_document(experiment, predictions_document, predictions_json(plan).dump());
    }
}

std::optional<StoredSheet> stored_sheet(const LabFile& lab) {
    const auto experiments = lab.experiments();
    for (auto experiment = experiments.rbegin(); experiment != experiments.rend(); ++experiment) {
        const Documents documents = documents_of(lab, experiment->id);
        if (documents.sheet.is_null()) continue;
        StoredSheet stored{experiment->id, sheet_plan_from_json(documents.sheet, documents.predictions,
                                                                parse_bounded(experiment->description))};
        const auto rule = stored_stopping_rule(lab, experiment->id);
        if (const SequentialDesign* design = sequential_in(rule)) stored.plan.stopping = *design;
        return stored;
    }
    return std::nullopt;
}

std::vector<StoredSheet> stored_predictions(const LabFile& lab) {
    std::vector<StoredSheet> result;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        const Documents documents = documents_of(lab, experiment.id);
        if (!documents.sheet.is_null() || documents.predictions.empty()) continue;
        result.push_back({experiment.id, plan_of_predictions(predictions_from_json(documents.predictions))});
    }
    return result;
}

std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment) {
    std::vector<SheetRun> runs;
    for (const RunRecord& record : lab.runs()) {
        if (record.experiment != experiment) continue;
        runs.push_back({stored_spec(record), record.state, record.summary, lab.measurements(record.id)});
    }
    return runs;
}

SeedNeeds needs_of_rows(std::vector<SheetRow> rows, const SequentialDesign& design) {
    return [rows = std::move(rows), design](const RunSpec& setting) {
        SeedNeed need;
        for (const SheetRow& row : rows) {
            if (!row.sequential || row.sequential->end != SequentialResult::End::open) continue;
            const PlannedRow& plan = row.plan;
            const auto contains = [&](const std::optional<GroupKeys>& group) {
                return group && belongs(setting, *group);
            };
            const bool is_used = belongs(setting, plan.group) || contains(plan.baseline) || contains(plan.control) ||
                                 contains(plan.control_reference) ||
                                 std::ranges::any_of(plan.baseline_others,
                                                     [&](const GroupKeys& group) { return belongs(setting, group); });
            if (!is_used) continue;
            need.seeds = std::max(need.seeds, design.next_look(row.sequential->pairs));
            need.chance = std::max(need.chance, row.sequential->chance);
        }
        return need;
    };
}

std::size_t add_next_looks(LabFile& lab) {
    std::size_t added = 0;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        const auto rule = stored_stopping_rule(lab, experiment.id);
        const SequentialDesign* design = sequential_in(rule);
        if (!design) continue;
        SeedNeeds needs;
        if (const Documents documents = documents_of(lab, experiment.id); documents.sheet.is_null()) {
            needs = needs_of_results(lab, experiment.id);
        } else {
            SheetPlan plan =
                sheet_plan_from_json(documents.sheet, documents.predictions, parse_bounded(experiment.description));
            plan.stopping = *design;
            needs = needs_of_rows(evaluate(plan, sheet_runs(lab, experiment.id)), *design);
        }
        added += add_needed_runs(lab, experiment.id, needs);
    }
    return added;
}

Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet) {
    std::vector<RunId> left;
    for (const RunId id : unfinished_runs(lab)) {
        if (lab.run(id).experiment == sheet.experiment) left.push_back(id);
    }
    return plan_continued_runs(lab, left);
}

std::vector<SweepPredictions> sweep_predictions_of(const LabFile& lab) {
    std::vector<SweepPredictions> result;
    for (StoredSheet& stored : stored_predictions(lab)) {
        const std::vector<SheetRun> runs = sheet_runs(lab, stored.experiment);
        SweepPredictions& sweep = result.emplace_back();
        sweep.predictions = score(stored.plan, runs);
        sweep.unmeasured = unmeasured_runs(stored.plan, runs);
        sweep.stored = std::move(stored);
    }
    return result;
}

std::string sweep_predictions_text(std::span<const SweepPredictions> sweeps, const std::string& how_to_measure) {
    std::string text;
    for (const SweepPredictions& sweep : sweeps) {
        const std::string of = " of experiment " + std::to_string(sweep.stored.experiment);
        text += predictions_text(sweep.predictions, sweeps.size() > 1 ? of : "");
        if (sweep.unmeasured > 0) text += "  " + how_to_measure + '\n';
    }
    return text + calibration_text(all_predictions(sweeps));
}

std::string sweep_predictions_latex(std::span<const SweepPredictions> sweeps) {
    std::istringstream text(
        sweep_predictions_text(sweeps, "Some runs lack the measurements that score the predictions."));
    std::string result;
    for (std::string line; std::getline(text, line);) result += line.empty() ? "" : "% " + line + '\n';
    return result;
}

std::vector<ScoredPrediction> all_predictions(std::span<const SweepPredictions> sweeps) {
    std::vector<ScoredPrediction> result;
    for (const SweepPredictions& sweep : sweeps) {
        for (const ScoredPrediction& each : sweep.predictions) {
            result.push_back(each);
            // Two experiments can have the same prediction.
            if (sweeps.size() > 1)
                result.back().prediction.theory += ", experiment " + std::to_string(sweep.stored.experiment);
        }
    }
    return result;
}

void add_sweep_predictions(nlohmann::json& results, std::span<const SweepPredictions> sweeps) {
    nlohmann::json list = nlohmann::json::array();
    for (const SweepPredictions& sweep : sweeps) {
        for (nlohmann::json& scored : predictions_json(sweep.stored.plan, sweep.predictions)) {
            scored["experiment"] = sweep.stored.experiment;
            list.push_back(std::move(scored));
        }
    }
    results["predictions"] = std::move(list);
    results["calibration"] = calibration_json(calibration_of(all_predictions(sweeps)));
}

}  // namespace ropelab
