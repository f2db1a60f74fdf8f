#include "core/experiment/after_fault.h"

#include <algorithm>
#include <iterator>

#include "core/experiment/cohort_width.h"

namespace ropelab {

namespace {

// Of a run with device=cuda that never began: those of any other are settled on the CPU when its cohort is made.
RunConditions on_cpu(const RunSpec& spec) {
    const std::string precision = spec.precision == Precision::bfloat16 ? "bfloat16" : "float32";
    return {precision, "cpu", spec.threads, precision + ":"};
}

TrainedRun after_fault(const TrainedRun& run, const std::optional<RunConditions>& began, const AfterFault& how) {
    PlannedRun plan = run.plan;
    plan.resume = plan.resume || began;
    TrainedRun result = prepare(plan);
    result.device_faults = run.device_faults + 1;
    result.width_settled = run.width_settled || began;
    result.device_trust = DeviceTrust::libtorch_alone();
    result.device_trust->device = !how.to_cpu;
    std::optional<RunConditions> conditions = result.conditions();
    if (!result.checkpoint) conditions = began ? began : run.conditions();
    if (!conditions && how.to_cpu && plan.spec.device == Device::cuda) conditions = on_cpu(plan.spec);
    if (!conditions) {
        result.device_words = how.words;
        return result;
    }
    if (how.to_cpu) conditions->device = "cpu";
    conditions->kernels = how.to_cpu ? "" : to_text(*result.device_trust);
    conditions->reason += " " + how.words;
    result.moved = conditions;
    return result;
}

// Parts of a cohort that fit into memory.
std::vector<std::vector<TrainedRun>> parts_for_cpu(std::vector<TrainedRun> cohort) {
    RunSpec spec = cohort.front().plan.spec;
    if (const auto conditions = cohort.front().conditions()) spec.precision = precision_of(*conditions);
    std::vector<std::vector<TrainedRun>> parts;
    auto next = cohort.begin();
    for (const std::size_t size : equal_parts(cohort.size(), widest_in_memory(spec))) {
        const auto end = next + static_cast<std::ptrdiff_t>(size);
        parts.emplace_back(std::make_move_iterator(next), std::make_move_iterator(end));
        next = end;
    }
    return parts;
}

}  // namespace

std::vector<std::vector<TrainedRun>> runs_after_fault(const std::vector<TrainedRun>& cohort,
                                                      const std::optional<RunConditions>& began,
                                                      const AfterFault& how) {
    std::vector<std::vector<TrainedRun>> cohorts;
    for (const TrainedRun& run : cohort) {
        TrainedRun next = after_fault(run, began, how);
        const auto home = std::find_if(cohorts.begin(), cohorts.end(),
                                       [&](const auto& members) { return members.front().starts_like(next); });
        if (home != cohorts.end()) {
            home->push_back(std::move(next));
        } else {
            cohorts.emplace_back().push_back(std::move(next));
        }
    }
    if (!how.to_cpu) return cohorts;
    std::vector<std::vector<TrainedRun>> parts;
    for (std::vector<TrainedRun>& members : cohorts) {
        for (auto& part : parts_for_cpu(std::move(members))) parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace ropelab
