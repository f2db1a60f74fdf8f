#include "core/sweep/preview.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/data/text_source.h"
#include "core/experiment/experiment.h"
#include "core/forecast/cohort_width.h"

namespace ropelab {

namespace {

std::vector<std::string> missing_data(const std::vector<RunSpec>& runs, const std::filesystem::path& data_dir) {
    std::set<std::string> names;
    std::vector<std::string> result;
    for (const RunSpec& run : runs) {
        if (!names.insert(run.data).second) continue;
        try {
            locate(run.data, data_dir);
        } catch (const BadInput& refusal) {
            result.emplace_back(refusal.what());
        }
    }
    return result;
}

}  // namespace

double Preview::seconds() const {
    double total = 0;
    for (const PreviewedCohort& cohort : cohorts) total += cohort.cost.seconds;
    return total;
}

std::int64_t Preview::bytes() const {
    std::int64_t most = 0;
    for (const PreviewedCohort& cohort : cohorts) most = std::max(most, cohort.cost.bytes);
    return most;
}

bool Preview::measured() const {
    return std::all_of(cohorts.begin(), cohorts.end(), [](const PreviewedCohort& cohort) { return cohort.measured; });
}

std::vector<std::vector<RunSpec>> Preview::cohort_runs() const {
    std::vector<std::vector<RunSpec>> result;
    for (const PreviewedCohort& cohort : cohorts) {
        std::vector<RunSpec>& members = result.emplace_back();
        for (const std::size_t index : cohort.runs) members.push_back(runs[index]);
    }
    return result;
}

void Preview::take(const Measurement& measurement) {
    PreviewedCohort& cohort = cohorts.at(measurement.cohort);
    cohort.problem = measurement.problem;
    cohort.measured = measurement.problem.empty() && measurement.seconds > 0;
    if (!cohort.measured) return;
    cohort.cost.seconds = measurement.seconds;
    if (measurement.bytes > 0) cohort.cost.bytes = measurement.bytes;
}

Preview preview(std::vector<RunSpec> runs, const std::filesystem::path& data_dir, const TimeModel& model) {
    Preview result;
    result.runs = std::move(runs);
    for (const Key& entry : keys()) {
        std::set<Value> values;
        for (const RunSpec& run : result.runs) values.insert(entry.get(run));
        if (values.size() > 1) result.differing.emplace_back(entry.name);
    }
    for (auto& members : split_by_memory(group_into_cohorts(result.runs), result.runs)) {
        result.cohorts.push_back({std::move(members), {}, false, {}, {}});
    }
    const auto cohorts = result.cohort_runs();
    for (std::size_t i = 0; i < cohorts.size(); ++i) {
        result.cohorts[i].cost = estimate(cohorts[i], model, data_dir, i == 0);
        result.cohorts[i].width = width_plan(cohorts[i]);
    }
    result.same = same_models(result.runs);
    result.missing = missing_data(result.runs, data_dir);
    return result;
}

}  // namespace ropelab
