#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/stats/results_table.h"
#include "ui/experiment/run_store.h"

namespace ropelab::ui {

/// What a person chose to see of the lab's results.
struct ResultsChoices {
    static constexpr std::int64_t latestExperiment = 0;
    static constexpr std::int64_t allExperiments = -1;

    std::int64_t experiment = latestExperiment;  // or one's id
    ResultsOptions options;                      // `unfinished`: also runs in training, as they stand

    /// Whether both ask for the same groups and the same baseline.
    bool sameRuns(const ResultsChoices& other) const {
        return experiment == other.experiment && options.baseline == other.options.baseline;
    }
};

/// The table, and which runs of the lab it was made from.
struct Results {
    ResultsTable table;
    std::vector<RunId> runs;                                     // what the groups' `members` and `counted` index
    std::int64_t experiment = ResultsChoices::latestExperiment;  // whose they are, where it is one's; or allExperiments
    /// Whether the baseline that was asked for is not among these groups, so that the standard one stands in.
    bool baselineIsMissing = false;

    /// What colorOf() says that is not the colour of a group's first run, by that run.
    std::map<RunId, int> colors = {};

    /// The colour of a group: that of its first run, as in every room. As many seeds as the palette has colours would
    /// give all groups one; then the next that is free.
    int colorOf(const ResultGroup& group) const;
    /// Fills `colors`, for groups in order of first appearance.
    void chooseColors();
    /// The run behind a place of `members` or `counted`.
    RunId runAt(std::size_t index) const { return runs[index]; }
};

/// A run as the figures read it.
struct ResultsRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<TextMark> text;  // that it was trained on
    // Only where the figure reads them.
    RunMetrics::Evaluations evaluations;
    std::shared_ptr<const RunMetrics::Steps> steps;  // null: not read, or not yet

    int colorIndex() const { return static_cast<int>(id - 1); }
};

/// The lab's results as the window knows them. Reads no file.
Results resultsOf(const RunStore& store, const ResultsChoices& choices);
/// The runs behind results, as Results::runs, without their steps.
std::vector<ResultsRun> runsOf(const RunStore& store, const Results& results, bool withEvaluations);

}  // namespace ropelab::ui
