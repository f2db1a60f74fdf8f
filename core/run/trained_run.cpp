#include "core/run/trained_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "core/forecast/cohort_width.h"

namespace ropelab {

bool TrainedRun::is_at_step_of(const TrainedRun& other) const {
    if (iteration() != other.iteration() || checkpoint.has_value() != other.checkpoint.has_value()) return false;
    return !checkpoint || (checkpoint->evaluated == other.checkpoint->evaluated &&
                           checkpoint->sample_is_cut == other.checkpoint->sample_is_cut);
}

bool TrainedRun::starts_like(const TrainedRun& other) const {
    if (!is_at_step_of(other)) return false;
    const std::optional<RunConditions> its = conditions();
    const std::optional<RunConditions> others = other.conditions();
    if (its && others) return equal_conditions(*its, *others);
    if (its || others) return false;
    return plan.spec.precision != Precision::automatic || plan.experiment == other.plan.experiment;
}

CohortStart start_of(const std::vector<TrainedRun>& runs) {
    CohortStart start;
    start.conditions = runs.front().conditions();
    const auto& settled = runs.front().settled_precision;
    const bool replaces = settled && runs.front().chooses_precision();
    for (const TrainedRun& run : runs) {
        start.runs.push_back(run.plan.spec);
        if (replaces) start.runs.back().precision = settled->precision;
    }
    if (replaces) start.precision_reason = settled->reason;
    return start;
}

void settle_precision(const Plan& plan, std::vector<TrainedRun>& runs,
                      const std::optional<ExperimentPrecision>& measured) {
    if (!plan.settle_precision || !runs.front().chooses_precision()) return;
    const auto settled = plan.settle_precision(runs.front().plan, measured);
    for (TrainedRun& run : runs) run.settled_precision = settled;
}

SettlePrecision settle_precision_in_memory() {
    return [known = std::make_shared<std::map<std::int64_t, ExperimentPrecision>>()](
               const PlannedRun& run,
               const std::optional<ExperimentPrecision>& measured) -> std::optional<ExperimentPrecision> {
        const auto found = known->find(run.experiment);
        if (found != known->end()) return found->second;
        if (measured) known->emplace(run.experiment, *measured);
        return measured;
    };
}

void begin_halvings_together(std::vector<TrainedRun>& runs) {
    for (const TrainedRun& run : runs) {
        const Halving* halving = halving_in(run.plan.stopping);
        if (!halving) continue;
        const auto is_compared = [&](const TrainedRun& other) {
            const Halving* its = halving_in(other.plan.stopping);
            return its && its->experiment == halving->experiment;
        };
        const bool are_together = std::ranges::all_of(
            runs, [&](const TrainedRun& other) { return !is_compared(other) || other.is_at_step_of(run); });
        if (are_together) continue;
        for (TrainedRun& other : runs) {
            if (!is_compared(other)) continue;
            other.checkpoint.reset();
            other.summary = {};
            other.halving_message = halving_begins_anew;
        }
    }
}

std::vector<std::vector<TrainedRun>> in_parts(std::vector<TrainedRun> runs, const std::vector<std::size_t>& sizes) {
    std::vector<std::vector<TrainedRun>> parts;
    auto next = std::make_move_iterator(runs.begin());
    for (const std::size_t size : sizes) {
        const auto end = next + static_cast<std::ptrdiff_t>(size);
        parts.emplace_back(next, end);
        next = end;
    }
    return parts;
}

TrainedRun prepare(const PlannedRun& run) {
    TrainedRun result{run, std::nullopt, {}};
    if (run.resume && !run.checkpoint.empty())
        result.checkpoint = read_checkpoint_head(RunCheckpoint{run.checkpoint, run.spec});
    if (result.checkpoint) result.summary = result.checkpoint->summary;
    return result;
}

}  // namespace ropelab
