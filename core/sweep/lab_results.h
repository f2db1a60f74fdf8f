#pragma once

#include <string>
#include <vector>

#include "core/results/run_selection.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// The runs of a lab that its results include.
struct LabRuns {
    RunSelection selection;
    std::vector<RunRecord> records;  // of all runs
    SelectedRuns selected;
    std::size_t experiments = 0;  // number of experiments that have runs

    /// Returns the records of the selected runs.
    std::vector<RunRecord> selected_records() const;
    /// Returns which runs the table includes (selection_words).
    std::string words(const ResultsTable& table) const;
};
/// Returns the selection that a lab stores; the default if it stores none.
RunSelection stored_selection(const LabFile& lab);
/// Returns the runs that a selection includes. Throws BadInput if the lab or the selected experiment has no runs.
LabRuns lab_runs(const LabFile& lab, RunSelection selection);
/// Returns the selected runs with everything that the table and its exports need; `with_evaluations`: also all
/// evaluations, for ResultsOptions::target_loss. Throws BadInput if the settings of a run are damaged.
std::vector<ResultRun> result_runs(const LabFile& lab, const LabRuns& runs, bool with_evaluations);

}  // namespace ropelab
