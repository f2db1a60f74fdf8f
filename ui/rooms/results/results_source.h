#pragma once

#include <memory>
#include <vector>

#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

/// The user's choices for the results: the experiment and the options of the table.
struct ResultsChoices {
    static constexpr std::int64_t kLatestExperiment = RunSelection::latest_experiment;
    static constexpr std::int64_t kAllExperiments = RunSelection::all_experiments;

    std::int64_t experiment = kLatestExperiment;  // or the id of an experiment
    std::set<RunId> excluded = {};                // runs that the user excluded
    ResultsOptions options;                       // `unfinished` also includes running runs, with their latest losses

    /// Returns the choices that the lab stores.
    RunSelection selection() const { return {experiment, options.unfinished, excluded, options.split_by}; }
    /// Returns whether both choices select the same experiment and the same baseline.
    bool sameRuns(const ResultsChoices& other) const {
        return experiment == other.experiment && options.baseline == other.options.baseline;
    }
};

/// The results table, and the runs of the lab from which it was made.
struct Results {
    ResultsTable table;
    std::vector<RunId> runs;  // runs[i] has index i in the groups' `members` and `counted`
    std::int64_t experiment = ResultsChoices::kLatestExperiment;  // id of the runs' experiment, or kAllExperiments
    /// True if the chosen baseline is not among these groups, so that the default baseline is used.
    bool baselineIsMissing = false;
    QString words;  // which runs count (selection_words)

    std::vector<Ink> inks = {};  // inks[i] is the ink of runs[i], as in every room

    /// Returns the ink of a group: the colour of its setting, as in every room.
    Ink inkOf(const ResultGroup& group) const;
    /// Returns the run with an index from a group's `members` or `counted`.
    RunId runAt(std::size_t index) const { return runs[index]; }
};

/// The data of one run that figures use.
struct ResultsRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    RunState state = RunState::waiting;
    Ink ink;                       // as in every room
    std::optional<TextMark> text;  // identifies the data set that the run was trained on
    // Filled only for figures that need them.
    RunMetrics::Evaluations evaluations;
    std::shared_ptr<const RunMetrics::Steps> steps;  // nullptr if not loaded
    std::map<std::string, double> measurements;      // measured after training, by name (LabFile::measurements)
};

/// Returns the lab's results from the data that the window has in memory. Reads no file, except the measurements of the
/// runs if `measured` is given, the lab's file; throws BadInput if it cannot be read.
Results resultsOf(const RunStore& store, const ResultsChoices& choices, const LabFile* measured = nullptr);
/// Returns the runs of `results` in the order of Results::runs, without their steps.
std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations);

}  // namespace ropelab::ui
