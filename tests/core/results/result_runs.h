#pragma once

#include <string>
#include <vector>

#include "core/results/results_table.h"

namespace ropelab {

/// Returns a finished run with the given best validation loss; its other results are derived from it.
inline ResultRun result_run(nlohmann::json settings, double best) {
    RunSummary summary;
    summary.iterations = 5000;
    summary.best_validation_loss = best;
    summary.final_validation_loss = best + 0.25;
    summary.final_training_loss = best - 0.7;
    summary.seconds = 300;
    summary.tokens_per_second = 250'000;
    return {std::move(settings), "run", summary, RunState::finished};
}

/// Returns the results table with Welch's test, unless the options name another one.
inline ResultsTable welch_table(const std::vector<ResultRun>& runs, ResultsOptions options = {}) {
    if (!options.test) options.test = TestKind::welch;
    return results_table(runs, options);
}

/// Returns conditions of a run whose time this clock measured.
inline RunConditions timed_by(const std::string& clock) {
    RunConditions conditions;
    conditions.clock = clock;
    return conditions;
}

/// Returns runs with the results on Tiny Shakespeare in table 2 of the theta paper (best validation loss, mean m ±
/// sample standard deviation s). The seeds 1337 to 1339 have the losses m − s, m and m + s, which have this mean and
/// deviation.
inline std::vector<ResultRun> theta_paper_runs() {
    struct Row {
        int theta;
        double mean;
        double deviation;
    };
    std::vector<ResultRun> runs;
    for (const Row& row : {Row{500, 1.4728, 0.0016}, Row{1000, 1.4679, 0.0019}, Row{5000, 1.4662, 0.0014},
                           Row{10000, 1.4739, 0.0030}, Row{20000, 1.4688, 0.0022}, Row{50000, 1.4679, 0.0018}}) {
        for (int i = -1; i <= 1; ++i) {
            runs.push_back(result_run({{"theta", row.theta}, {"seed", 1338 + i}}, row.mean + i * row.deviation));
        }
    }
    return runs;
}

}  // namespace ropelab
