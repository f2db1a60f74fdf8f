#include "core/reproduce/rules/sweep_predictions.h"

#include <sstream>

#include "core/reproduce/rules/calibration.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/report.h"

namespace ropelab {

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
        text += predictions_text(sweep.predictions);
        if (sweep.unmeasured > 0) text += "  " + how_to_measure + '\n';
    }
    return text + calibration_text(all_predictions(sweeps));
}

std::string sweep_predictions_latex(std::span<const SweepPredictions> sweeps) {
    std::istringstream text(sweep_predictions_text(sweeps, "Some runs lack the measurements of the predictions."));
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
