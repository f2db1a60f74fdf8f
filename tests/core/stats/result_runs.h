#pragma once

#include <string>
#include <vector>

#include "core/stats/results_table.h"

namespace ropelab {

/// A finished run with a best validation loss; its other numbers follow from that.
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

/// Tiny Shakespeare in the theta paper's table 2 (best validation loss, mean ± sample standard deviation of the seeds
/// 1337 … 1339): m − s, m, m + s have that mean and deviation.
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
