#pragma once

#include <memory>
#include <vector>

#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "ui/session/run_store.h"

namespace ropelab::ui {

struct ResultsChoices {
    static constexpr std::int64_t kLatestExperiment = RunSelection::latest_experiment;
    static constexpr std::int64_t kAllExperiments = RunSelection::all_experiments;

    std::int64_t experiment = kLatestExperiment;  // or the id of an experiment
    std::set<RunId> excluded = {};                // runs that the user excluded
    ResultsOptions options;                       // `unfinished` also includes running runs, with their latest losses

    RunSelection selection() const { return {experiment, options.unfinished, excluded, options.split_by}; }
    bool sameRuns(const ResultsChoices& other) const {
        return experiment == other.experiment && options.baseline == other.options.baseline;
    }
};

struct Results {
    ResultsTable table;
    std::vector<RunId> runs;  // runs[i] has index i in the groups' `members` and `counted`
    std::int64_t experiment = ResultsChoices::kLatestExperiment;  // id of the runs' experiment, or kAllExperiments
    /// True if the chosen baseline is not among these groups, so that the default baseline is used.
    bool baselineIsMissing = false;
    QString words;  // which runs count (selection_words)

    std::vector<Ink> inks = {};  // inks[i] is the ink of runs[i], as in every room

    /// The colour of the group's setting, as in every room.
    Ink inkOf(const ResultGroup& group) const;
    /// `index` is one of a group's `members` or `counted`.
    RunId runAt(std::size_t index) const { return runs[index]; }
};

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

/// Uses the data that the window has in memory. Reads no file, except the measurements of the runs if `measured` is
/// given, the lab's file; throws BadInput if it cannot be read.
Results resultsOf(const RunStore& store, const ResultsChoices& choices, const LabFile* measured = nullptr);
/// In the order of Results::runs, without their steps.
std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations);

}  // namespace ropelab::ui
