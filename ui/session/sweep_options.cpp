#include "ui/session/sweep_options.h"

#include <utility>

#include "core/sweep/lab_growth.h"
#include "core/spec/error.h"

namespace ropelab::ui {

Experiment sampledExperiment(const Experiment& experiment, const SweepOptions& options, Search* search) {
    Experiment result = experiment;
    if (!options.search) return result;
    Search applied = *options.search;
    apply_search(applied, result);
    if (search) *search = std::move(applied);
    return result;
}

std::vector<RunSpec> runsToTrain(const Experiment& experiment, const SweepOptions& options, const LabFile* lab) {
    const Experiment sampled = sampledExperiment(experiment, options);
    if (!options.extends || !lab) return sampled.expand();
    std::vector<RunSpec> runs;
    for (AddedRun& added : growth_of(*lab, sampled, options.anew).added) {
        added.spec.iterations -= added.iteration;
        runs.push_back(std::move(added.spec));
    }
    if (runs.empty()) throw BadInput(kNoRunIsMissing);
    return runs;
}

}  // namespace ropelab::ui
