#include "core/run/after_fault.h"

#include <algorithm>
#include <iterator>

#include "core/forecast/cohort_width.h"

namespace ropelab {

namespace {

// For a run with device=cuda that never began. Other runs that never began get theirs when their cohort is created.
RunConditions on_cpu(const RunSpec& spec) {
    const std::string precision = spec.precision == Precision::bfloat16 ? "bfloat16" : "float32";
    return {precision, "cpu", spec.threads, precision + ":"};
}

// `began` has the conditions that the run's cohort trained with.
TrainedRun after_fault(const TrainedRun& run, const std::optional<RunConditions>& began, const AfterFault& resumption) {
    PlannedRun plan = run.plan;
    plan.resume = plan.resume || began;
    TrainedRun result = prepare(plan);
    result.device_faults = run.device_faults + 1;
    result.width_settled = run.width_settled || began;
    result.device_trust = DeviceTrust{.device = !resumption.to_cpu};
    std::optional<RunConditions> conditions = result.conditions();
    if (!result.checkpoint) conditions = began ? began : run.conditions();
    if (!conditions && resumption.to_cpu && plan.spec.device == Device::cuda) conditions = on_cpu(plan.spec);
    if (!conditions) {
        result.device_message = resumption.message;
        return result;
    }
    if (resumption.to_cpu) conditions->device = "cpu";
    conditions->graphs = resumption.to_cpu ? "" : to_text(*result.device_trust);
    conditions->reason += " " + resumption.message;
    result.moved = conditions;
    return result;
}

std::vector<std::vector<TrainedRun>> parts_for_cpu(std::vector<TrainedRun> cohort) {
    RunSpec spec = cohort.front().plan.spec;
    if (const auto conditions = cohort.front().conditions()) spec.precision = precision_of(*conditions);
    const auto sizes = equal_parts(cohort.size(), max_width_in_memory(spec));
    return in_parts(std::move(cohort), sizes);
}

}  // namespace

std::vector<std::vector<TrainedRun>> runs_after_fault(const std::vector<TrainedRun>& cohort,
                                                      const std::optional<RunConditions>& began,
                                                      const AfterFault& resumption) {
    std::vector<std::vector<TrainedRun>> cohorts;
    for (const TrainedRun& run : cohort) {
        TrainedRun next = after_fault(run, began, resumption);
        const auto match = std::find_if(cohorts.begin(), cohorts.end(),
                                        [&](const auto& members) { return members.front().starts_like(next); });
        if (match != cohorts.end()) {
            match->push_back(std::move(next));
        } else {
            cohorts.emplace_back().push_back(std::move(next));
        }
    }
    if (!resumption.to_cpu) return cohorts;
    std::vector<std::vector<TrainedRun>> parts;
    for (std::vector<TrainedRun>& members : cohorts) {
        for (auto& part : parts_for_cpu(std::move(members))) parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace ropelab
