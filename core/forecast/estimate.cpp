#include "core/forecast/estimate.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/experiment/experiment.h"
#include "core/forecast/device_need.h"
#include "core/forecast/likely_data.h"
#include "core/machine/engine_loader.h"
#include "core/plan/step_cost.h"

namespace ropelab {

Estimate estimate(const std::vector<RunSpec>& runs, const TimeModel& model, const std::filesystem::path& data_dir,
                  bool loads_engine) {
    bool loads = loads_engine && memory_before_engine() == 0;
    std::map<std::tuple<std::string, Split, std::int64_t, bool>, double>
        validation;  // split sizes, looked up once per data set
    Estimate result;
    result.runs = static_cast<int>(runs.size());
    for (const auto& cohort : group_into_cohorts(runs)) {
        ++result.cohorts;
        const RunSpec& spec = runs[cohort.front()];
        const auto [length, is_new] =
            validation.try_emplace({spec.data, spec.split, spec.data_length, spec.has_subwords()});
        if (is_new) length->second = static_cast<double>(likely_validation_tokens(spec, data_dir));
        result.parameters = std::max(result.parameters, parameter_count(spec, likely_vocabulary(spec)));
        result.seconds +=
            model.seconds(model.key_of(spec), cohort_work(spec, std::ssize(cohort), 0, length->second, loads));
        loads = false;
        result.bytes = std::max(result.bytes, static_cast<std::int64_t>(likely_bytes(spec, std::ssize(cohort))));
    }
    return result;
}

}  // namespace ropelab
