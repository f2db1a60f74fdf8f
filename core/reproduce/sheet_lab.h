#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Kinds of the documents that a lab stores for a sheet.
inline constexpr const char* sheet_document = "sheet";
inline constexpr const char* predictions_document = "predictions";

/// Stores a sheet's experiment, its waiting runs, its rules and its predictions in a lab, in one transaction. Returns
/// the experiment's id.
std::int64_t enter_sheet(LabFile& lab, const SheetPlan& plan);

/// Stores the predictions for an experiment (see `predicted`), before its first run. `runs`: all runs of the
/// experiment. Stores nothing if no theory makes a prediction.
void enter_predictions(LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>& runs);

/// Experiment of a lab with the sheet's plan as it was stored.
struct StoredSheet {
    std::int64_t experiment = 0;
    SheetPlan plan;
};
/// Returns the newest sheet of a lab; nullopt for a lab without one.
std::optional<StoredSheet> stored_sheet(const LabFile& lab);

/// Returns the stored predictions of a lab's experiments that are not sheets, each as a plan of predictions only.
std::vector<StoredSheet> stored_predictions(const LabFile& lab);

std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment);

/// Returns the plan of the unfinished runs of a sheet, as plan_continued_runs builds it; empty if all runs are
/// finished. The plan has no recorder yet.
Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet);

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
