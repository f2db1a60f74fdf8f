#include "core/experiment/sheets/sheet_lab.h"

#include "core/experiment/lab_plan.h"
#include "core/experiment/sheets/measuring.h"

namespace ropelab {

std::int64_t enter_sheet(LabFile& lab, const SheetPlan& plan) {
    std::int64_t experiment = 0;
    lab.in_one_transaction([&] {
        experiment = lab.run(plan_new_runs(lab, plan.experiment).runs.front().id).experiment;
        lab.add_document(experiment, predictions_document, predictions_json(plan).dump());
        lab.add_document(experiment, sheet_document, to_json(plan).dump());
    });
    return experiment;
}

std::optional<StoredSheet> stored_sheet(const LabFile& lab) {
    const auto experiments = lab.experiments();
    for (auto experiment = experiments.rbegin(); experiment != experiments.rend(); ++experiment) {
        nlohmann::json sheet, predictions = nlohmann::json::array();
        for (const DocumentRecord& document : lab.documents(experiment->id)) {
            if (document.kind == sheet_document) sheet = nlohmann::json::parse(document.text);
            if (document.kind == predictions_document) predictions = nlohmann::json::parse(document.text);
        }
        if (sheet.is_null()) continue;
        return StoredSheet{experiment->id,
                           sheet_plan_from_json(sheet, predictions, nlohmann::json::parse(experiment->description))};
    }
    return std::nullopt;
}

std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment) {
    std::vector<SheetRun> runs;
    for (const RunRecord& record : lab.runs()) {
        if (record.experiment != experiment) continue;
        runs.push_back({run_spec_from_json(nlohmann::json::parse(record.settings)), record.state, record.summary,
                        lab.measurements(record.id)});
    }
    return runs;
}

Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet) {
    std::vector<RunId> left;
    for (const RunId id : unfinished_runs(lab)) {
        if (lab.run(id).experiment == sheet.experiment) left.push_back(id);
    }
    return plan_continued_runs(lab, left);
}

}  // namespace ropelab
