#pragma once

#include <map>
#include <vector>

#include "core/stats/results_table.h"
#include "ui/experiment/run_store.h"

namespace ropelab::ui {

class Workspace;

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
    std::vector<RunId> runs;  // what the groups' `members` and `counted` index
    /// Whether the baseline that was asked for is not among these groups, so that the standard one stands in.
    bool baselineIsMissing = false;

    /// The colour of a group in every room: that of its first run.
    int colorOf(const ResultGroup& group) const;
    /// The run behind a place of `members` or `counted`.
    RunId runAt(std::size_t index) const { return runs[index]; }
};

/// A run as the figures read it.
struct ResultsRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    RunState state = RunState::waiting;
    RunMetrics metrics;  // only where the figure reads them

    int colorIndex() const { return static_cast<int>(id - 1); }
};

/// Makes results from the lab as the window knows it. Keeps the measurements it has read.
class ResultsSource {
 public:
    explicit ResultsSource(Workspace& workspace) : m_workspace(workspace) {}

    Results results(const ResultsChoices& choices);
    /// The runs behind results, as Results::runs; without their measurements unless the figure reads those.
    std::vector<ResultsRun> runs(const Results& results, bool withMetrics);

 private:
    const RunMetrics& metrics(const RunView& run);

    struct Read {
        std::int64_t last = -1;  // the newest iteration when it was read
        RunMetrics metrics;
    };
    Workspace& m_workspace;
    QString m_labPath;
    std::map<RunId, Read> m_read;
};

}  // namespace ropelab::ui
