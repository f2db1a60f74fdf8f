#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/sheet_lab.h"

namespace ropelab {

/// Predictions for a sweep that is not a sheet, with their current scores.
struct SweepPredictions {
    StoredSheet stored;  // a plan of predictions only
    std::vector<ScoredPrediction> predictions;
    std::int64_t unmeasured = 0;  // number of ended runs that lack a measurement of the predictions
};
/// Returns the predictions of all sweeps of a lab, in the order of the experiments; sweeps without predictions are left
/// out.
std::vector<SweepPredictions> sweep_predictions_of(const LabFile& lab);

/// Returns the predictions of all these sweeps in one list, as calibration_of needs them.
std::vector<ScoredPrediction> all_predictions(std::span<const SweepPredictions> sweeps);

/// Returns all predictions as text, as predictions_text formats them, and their joint calibration. `how_to_measure` is
/// a sentence that follows predictions with unmeasured runs.
std::string sweep_predictions_text(std::span<const SweepPredictions> sweeps, const std::string& how_to_measure);
/// Returns the text of sweep_predictions_text as comments of LaTeX, which precede a table.
std::string sweep_predictions_latex(std::span<const SweepPredictions> sweeps);
/// Adds to the JSON of a results table: `predictions`, all predictions as one list, as predictions_json formats them,
/// each with its `experiment`; and `calibration`, their joint calibration (calibration_json).
void add_sweep_predictions(nlohmann::json& results, std::span<const SweepPredictions> sweeps);

}  // namespace ropelab
