#include <algorithm>
#include <thread>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"

namespace ropelab {

namespace {

// A vocabulary is known only once the corpus is open; characters of a European text are about this many.
constexpr double typical_vocabulary = 65;

double matrix_parameters(const RunSpec& spec) {
    const auto C = static_cast<double>(spec.width);
    return static_cast<double>(spec.layers) * 12.0 * C * C + typical_vocabulary * C;
}

// Multiply-adds of one forward pass over one symbol, times two.
double operations_per_symbol(const RunSpec& spec) {
    const double attention =
        static_cast<double>(spec.layers * spec.context * spec.width);  // causal: half of 2·T·C twice
    return 2.0 * (matrix_parameters(spec) + attention);
}

}  // namespace

double operations_per_step(const RunSpec& spec) {
    const auto symbols = static_cast<double>(spec.batch * spec.context);
    const double training = 3.0 * operations_per_symbol(spec) * symbols;  // forward, and twice that backward
    // A whole evaluation reads the validation split (a generated one is known; others are of about 100,000 symbols) and
    // evaluation_batches of the training split.
    const bool generated = spec.data.starts_with("generated");
    const double split = generated ? 0.1 * static_cast<double>(spec.data_length) : 1e5;
    const double batches = static_cast<double>(spec.evaluation_batches) * symbols;
    const double evaluated = spec.evaluation == Evaluation::whole ? split + batches : 2.0 * batches;
    return training + operations_per_symbol(spec) * evaluated / static_cast<double>(spec.evaluate_every);
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
        const double parameters = matrix_parameters(spec);
        result.parameters = std::max(result.parameters, static_cast<std::int64_t>(parameters));
        result.seconds +=
            members * operations_per_step(spec) * static_cast<double>(spec.iterations) / operations_per_second;

        // Weights, gradients and two moments, then what the backward pass keeps of one step: about 34 numbers a channel
        // and layer, the logits twice, and with dropout the attention shares.
        const auto symbols = static_cast<double>(spec.batch * spec.context);
        double kept = symbols * (static_cast<double>(spec.layers * spec.width) * 34.0 + 2.0 * typical_vocabulary);
        if (spec.dropout > 0) {
            kept += 4.0 * symbols * static_cast<double>(spec.layers * spec.heads * spec.context);
        }
        const double bytes = 4.0 * members * (4.0 * parameters + kept);
        result.bytes = std::max(result.bytes, static_cast<std::int64_t>(bytes));
    }
    return result;
}

}  // namespace ropelab
