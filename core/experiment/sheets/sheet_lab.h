#pragma once

#include <optional>

#include "core/experiment/runner.h"
#include "core/experiment/sheets/evaluate.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Kinds of the documents that a lab keeps of a sheet.
inline constexpr const char* sheet_document = "sheet";
inline constexpr const char* predictions_document = "predictions";

/// Enters a sheet's experiment and runs into a lab, its rules and predictions fixed before the first of them, in one
/// transaction. Returns the experiment's number.
std::int64_t enter_sheet(LabFile& lab, const SheetPlan& plan);

/// Fixes what theories say of an experiment's runs, all that it expands to, before the first of them; nothing where
/// they say nothing (`predicted`).
void enter_predictions(LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>& runs);

/// The newest sheet of a lab, as it was fixed; nullopt for a lab without one.
struct StoredSheet {
    std::int64_t experiment = 0;
    SheetPlan plan;
};
std::optional<StoredSheet> stored_sheet(const LabFile& lab);

/// The predictions on a lab's experiments that are no sheets, as they were fixed; each with a plan of them alone.
std::vector<StoredSheet> stored_predictions(const LabFile& lab);

/// The runs of a sheet's experiment with what was measured of them.
std::vector<SheetRun> sheet_runs(const LabFile& lab, std::int64_t experiment);

/// What is still to train, as plan_continued_runs has it. Without runs where nothing is left. Not connected to a
/// recorder yet.
Plan remaining_plan(const LabFile& lab, const StoredSheet& sheet);

}  // namespace ropelab
