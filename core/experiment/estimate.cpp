#include <algorithm>
#include <thread>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"
#include "core/experiment/step_cost.h"

namespace ropelab {

double operations_per_step(const RunSpec& spec) {
    const std::int64_t vocabulary = likely_vocabulary(spec);
    // A whole evaluation reads the validation split (a generated one is known; others are of about 100,000 symbols) and
    // evaluation_batches of the training split.
    const bool generated = spec.data.starts_with("generated");
    const double split = generated ? 0.1 * static_cast<double>(spec.data_length) : 1e5;
    const double batches = static_cast<double>(spec.evaluation_batches * spec.batch * spec.context);
    const double evaluated = spec.evaluation == Evaluation::whole ? split + batches : 2.0 * batches;
    return training_operations(spec, vocabulary) +
           forward_operations(spec, vocabulary).total() * evaluated / static_cast<double>(spec.evaluate_every);
}

Estimate estimate(const std::vector<RunSpec>& runs, double operations_per_second) {
    if (operations_per_second <= 0) {
        // What two cores reach on small models, overhead included; a measured sweep replaces it.
        operations_per_second = 25e9 * std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
    }
    Estimate result;
    result.runs = static_cast<int>(runs.size());
    for (const auto& cohort : group_into_cohorts(runs)) {
        ++result.cohorts;
        const RunSpec& spec = runs[cohort.front()];
        const auto members = static_cast<double>(cohort.size());
        const std::int64_t vocabulary = likely_vocabulary(spec);
        result.parameters = std::max(result.parameters, parameter_count(spec, vocabulary));
        result.seconds +=
            members * operations_per_step(spec) * static_cast<double>(spec.iterations) / operations_per_second;
        result.bytes = std::max(result.bytes,
                                static_cast<std::int64_t>(memory_need(spec, std::ssize(cohort), vocabulary).total()));
    }
    return result;
}

}  // namespace ropelab
