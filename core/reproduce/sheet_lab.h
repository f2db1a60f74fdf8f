#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "core/sweep/sequential_runs.h"

namespace ropelab {

/// In one transaction, with waiting runs (with a stopping rule, those of its first look), rules and predictions.
/// Returns the experiment's id.
std::int64_t enter_sheet(LabFile& lab, const SheetPlan& plan);

/// A search that is the same for every setting (arm) of a sheet and fixed before its first run: each setting trains
/// with each of tuning_factors times its learning rates (peak and final), on two seeds after the sheet's last one,
/// which no row uses. Throws BadInput if the settings of the sheet have different learning rates.
Experiment tuning_experiment(const SheetPlan& plan);
inline constexpr std::array<double, 3> tuning_factors = {0.5, 1, 2};
/// What the search does, and that no row uses its seeds, as a note of the plan. `runs`: their number.
std::string tuning_words(const SheetPlan& plan);
/// Each setting with the factor of the lowest mean final validation loss in the search (a diverged run loses); a note
/// names the factors. Throws BadInput if `search` lacks a run of tuning_experiment or if one has not ended.
SheetPlan tuned_plan(SheetPlan plan, const LabFile& search);

/// Before its first run. `runs`: all runs of the experiment. Stores nothing if no theory makes a prediction.
void enter_predictions(LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>& runs);

struct StoredSheet {
    std::int64_t experiment = 0;
    SheetPlan plan;
};
/// The newest one; nullopt for a lab without one.
std::optional<StoredSheet> stored_sheet(const LabFile& lab);

/// For experiments that are not sheets, each as a plan of predictions only.
std::vector<StoredSheet> stored_predictions(const LabFile& lab);

std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment);

/// Of the open rows of a sheet with a stopping rule: the next look of each, in all groups that the row compares.
SeedNeeds needs_of_rows(std::vector<SheetRow> rows, const SequentialDesign& design);

/// Adds the runs of the next looks of all experiments that have a stopping rule, sheets and others. Returns their
/// number; 0 if every comparison has ended, or if earlier runs have not.
std::size_t add_next_looks(LabFile& lab);

/// Unfinished runs, as plan_continued_runs builds it; empty if all are finished. The plan has no recorder yet.
Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet);

struct SweepPredictions {
    StoredSheet stored;  // a plan of predictions only
    std::vector<ScoredPrediction> predictions;
    std::int64_t unmeasured = 0;  // number of ended runs that lack a measurement of the predictions
};
/// In the order of the experiments; sweeps without predictions are left out.
std::vector<SweepPredictions> sweep_predictions_of(const LabFile& lab);

std::vector<ScoredPrediction> all_predictions(std::span<const SweepPredictions> sweeps);

/// As predictions_text, and their joint calibration. `how_to_measure` follows predictions with unmeasured runs.
std::string sweep_predictions_text(std::span<const SweepPredictions> sweeps, const std::string& how_to_measure);
std::string sweep_predictions_latex(std::span<const SweepPredictions> sweeps);
/// Adds `predictions` as predictions_json formats them, each with its `experiment`, and `calibration`.
void add_sweep_predictions(nlohmann::json& results, std::span<const SweepPredictions> sweeps);

}  // namespace ropelab
