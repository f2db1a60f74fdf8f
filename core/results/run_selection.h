#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/results/results_table.h"

namespace ropelab {

/// The runs of a lab that its results include. The lab stores the choice (LabFile::choice), so that table, figures,
/// tests and decision aid, in the window and in the terminal, are about the same runs.
struct RunSelection {
    static constexpr std::int64_t latest_experiment = 0;
    static constexpr std::int64_t all_experiments = -1;

    std::int64_t experiment = latest_experiment;  // or the number of an experiment
    bool unfinished = false;                      // includes stopped and failed runs with results
    std::set<RunId> excluded = {};                // runs that the user excluded
    std::vector<std::string> split_by = {};       // ResultsOptions::split_by
    std::string margin = {};                      // ResultsOptions::margin
    bool operator==(const RunSelection&) const = default;
};
inline constexpr const char* selection_choice = "results";

std::string to_text(const RunSelection& selection);
/// The default for an empty or unreadable text.
RunSelection run_selection(const std::string& text);

struct SelectableRun {
    RunId id = 0;
    std::int64_t experiment = 0;
    bool has_begun = true;
};
struct SelectedRuns {
    std::int64_t experiment = RunSelection::all_experiments;  // their experiment, or all_experiments
    std::vector<std::size_t> indices;                         // in the list of selectable runs
};
/// The latest experiment is the one with the highest number of which a run has begun, or else that has runs; one
/// without runs selects none.
SelectedRuns selected_runs(std::span<const SelectableRun> runs, const RunSelection& selection);
void apply(const RunSelection& selection, ResultsOptions& options);

/// "Runs: 12 of 16 runs count, experiment 3 of 3. Not counted: 3 unfinished, 1 with a repeated seed." `experiments` and
/// `in_lab`: numbers of experiments with runs and of runs in the lab.
std::string selection_words(const ResultsTable& table, const SelectedRuns& selected, std::size_t experiments,
                            std::size_t in_lab);

}  // namespace ropelab
