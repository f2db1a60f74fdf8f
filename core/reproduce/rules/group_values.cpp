#include "core/reproduce/rules/group_values.h"

#include <algorithm>
#include <limits>

#include "core/reproduce/rules/measuring.h"

namespace ropelab {

namespace {

bool ended(RunState state) {
    return state == RunState::finished || state == RunState::failed;
}

// Returns whether a run has a value of the measure. A stored NaN counts: the measurement took place and gave no number.
bool is_measured(const SheetRun& run, const std::string& measure) {
    if (run.measurements.contains(measure)) return true;
    // The generation speed is one of measures(), but it is measured after training.
    const auto ends_with_training = [&](const Measure& known) {
        return known.name == measure && measure != generated_per_second;
    };
    return run.summary && std::any_of(measures().begin(), measures().end(), ends_with_training);
}

// Returns whether a run has ended and still lacks a measurement. Failed runs are only measured for spikes.
bool is_to_measure(const SheetRun& run, const std::string& measure) {
    const bool is_measurable = run.state == RunState::finished || measure == spiked || measure == spiked_early;
    return is_measurable && !is_measured(run, measure);
}

}  // namespace

GroupValues values_of(std::span<const SheetRun> runs, const GroupKeys& group, const std::string& measure) {
    GroupValues result;
    for (const SheetRun& run : runs) {
        if (!belongs(run.spec, group)) continue;
        if (!ended(run.state)) {
            ++result.waiting;
            continue;
        }
        result.failed.erase(run.spec.seed);
        if (run.state == RunState::failed) result.failed.insert(run.spec.seed);
        result.unmeasured.erase(run.spec.seed);
        if (is_to_measure(run, measure)) result.unmeasured.insert(run.spec.seed);
        // The losses of a diverged run are not those of a trained model, but its events count.
        const bool counts = run.state == RunState::finished || run.measurements.contains(measure);
        result.by_seed[run.spec.seed] =
            counts ? measured_value(run, measure) : std::numeric_limits<double>::quiet_NaN();
    }
    return result;
}

GroupValues mean_by_seed(std::span<const GroupValues> groups) {
    GroupValues result;
    for (const GroupValues& group : groups) {
        for (const auto& [seed, value] : group.by_seed) result.by_seed[seed] = 0;
        result.failed.insert(group.failed.begin(), group.failed.end());
        result.unmeasured.insert(group.unmeasured.begin(), group.unmeasured.end());
        result.waiting += group.waiting;
    }
    for (auto& [seed, mean] : result.by_seed) {
        for (const GroupValues& group : groups) {
            const auto found = group.by_seed.find(seed);
            mean += found == group.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
        }
        mean /= static_cast<double>(groups.size());
    }
    return result;
}

std::vector<double> values_with_same_seeds(const GroupValues& group, const GroupValues& baseline) {
    std::vector<double> result;
    for (const auto& [seed, value] : group.by_seed) {
        const auto match = baseline.by_seed.find(seed);
        result.push_back(match == baseline.by_seed.end() ? std::numeric_limits<double>::quiet_NaN() : match->second);
    }
    return result;
}

}  // namespace ropelab
