#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/sheets/building.h"

namespace ropelab {

/// Returns a finished run of a base and a seed with this best validation loss.
inline SheetRun sheet_run(double theta, std::int64_t seed, double loss) {
    SheetRun run;
    run.spec.theta = theta;
    run.spec.seed = seed;
    run.state = RunState::finished;
    run.summary.emplace().best_validation_loss = loss;
    return run;
}

/// Adds runs of one base with the seeds 1, 2, …
inline void add_runs(std::vector<SheetRun>& runs, double theta, const std::vector<double>& losses) {
    for (std::size_t i = 0; i < losses.size(); ++i) {
        runs.push_back(sheet_run(theta, static_cast<std::int64_t>(i) + 1, losses[i]));
    }
}

/// Returns a row that compares θ = 500 with θ = 10,000 by a rule.
inline PlannedRow row_500(VerdictRule rule) {
    rule.family = rule.family.empty() ? "test" : rule.family;
    return compared_row("claim", {{"theta", 500}}, "best_validation_loss", {{"theta", "500"}}, {{"theta", "10000"}},
                        std::move(rule));
}

inline SheetPlan plan_of(std::vector<PlannedRow> rows) {
    SheetPlan plan;
    plan.sheet = "test";
    plan.scale = SheetScale::laptop;
    plan.rows = std::move(rows);
    return plan;
}

}  // namespace ropelab
