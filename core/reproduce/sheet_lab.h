#pragma once

#include <optional>

#include "core/run/runner.h"
#include "core/reproduce/rules/evaluate.h"
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

/// Returns the runs of a sheet's experiment with their measurements.
std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment);

/// Returns the plan of the unfinished runs of a sheet, as plan_continued_runs builds it; empty if all runs are
/// finished. The plan has no recorder yet.
Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet);

}  // namespace ropelab
