#include "core/reproduce/sheet_lab.h"

#include <algorithm>
#include <sstream>

#include "core/data/json_text.h"
#include "core/reproduce/report.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
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
        result.insert(result.end(), sweep.predictions.begin(), sweep.predictions.end());
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
