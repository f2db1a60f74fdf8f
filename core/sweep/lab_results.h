#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/results/run_selection.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// JSON with `continued`, a list of {"run", "from", "iteration"}, of an experiment that was added to a lab with runs.
inline constexpr const char* extension_document = "extension";

struct ExperimentOrigin {
    bool searched = false;                                   // ResultRun::searched
    std::int64_t look = 0;                                   // ResultRun::look
    std::shared_ptr<const SequentialSeeds> sequential = {};  // ResultRun::sequential
};
ExperimentOrigin origin_of(const LabFile& lab, std::int64_t experiment);

struct LabRuns {
    RunSelection selection;
    std::vector<RunRecord> records;  // of all runs
    SelectedRuns selected;
    std::size_t experiments = 0;  // number of experiments that have runs

    std::vector<RunRecord> selected_records() const;
    std::string words(const ResultsTable& table) const;
};
/// The default if the lab stores none.
RunSelection stored_selection(const LabFile& lab);
/// Throws BadInput if the lab or the selected experiment has no runs.
LabRuns lab_runs(const LabFile& lab, RunSelection selection);
/// For table and exports; `with_evaluations`: for ResultsOptions::target_loss; a rule with a target and imported runs
/// need them too. BadInput if settings are damaged.
std::vector<ResultRun> result_runs(const LabFile& lab, const LabRuns& runs, bool with_evaluations);

}  // namespace ropelab
