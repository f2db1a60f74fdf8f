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

/// Makes results from the lab as the window knows it. Keeps the evaluations it has read.
class ResultsSource {
 public:
    explicit ResultsSource(Workspace& workspace) : m_workspace(workspace) {}

    Results results(const ResultsChoices& choices);

 private:
    const std::vector<LossAt>& evaluations(const RunView& run);

    struct Read {
        std::int64_t last = -1;  // the newest iteration when it was read
        std::vector<LossAt> evaluations;
    };
    Workspace& m_workspace;
    QString m_labPath;
    std::map<RunId, Read> m_read;
};

}  // namespace ropelab::ui
