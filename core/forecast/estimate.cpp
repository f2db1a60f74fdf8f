#include "core/forecast/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <tuple>

#include "core/base/processor.h"
#include "core/contract/probe.h"
#include "core/data/corpus.h"
#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/experiment/experiment.h"
#include "core/forecast/device_need.h"
#include "core/forecast/likely_data.h"
#include "core/machine/engine_loader.h"
#include "core/plan/step_cost.h"

namespace ropelab {

namespace {

constexpr std::int64_t probed_sequences = 8;  // about the number of sequences of a probe
constexpr double checkpoint_bytes = 12;       // per parameter: weight and two moments

// The whole validation split or evaluation_batches of it, and evaluation_batches of the training split.
double evaluated_tokens(const RunSpec& spec, double validation) {
    const auto batches = static_cast<double>(spec.evaluation_batches * spec.batch * spec.context);
    return spec.evaluation == Evaluation::whole ? validation + batches : 2.0 * batches;
}

// Operations=eager needs extra passes over memory besides the matrix products, so the factor falls with the width.
// Measured on two cores: 1.5 at width 64, 1.2 and 1.35 at 128, 1.1 at 384.
double slowdown(const RunSpec& spec) {
    return spec.operations == Operations::fused ? 1.0 : 1.0 + 32.0 / static_cast<double>(spec.width);
}

}  // namespace

double evaluation_operations(const RunSpec& spec, double tokens) {
    constexpr double gain = 3;  // speed of evaluation relative to training, measured on two cores at widths 64 and 128
    return forward_operations(spec, likely_vocabulary(spec)) * tokens / gain;
}

double operations_per_step(const RunSpec& spec) {
    const std::int64_t split =
        find_language(spec.data) ? split_sizes(spec.data_length, spec.split).validation : unknown_validation_tokens;
    return training_operations(spec, likely_vocabulary(spec)) +
           evaluation_operations(spec, evaluated_tokens(spec, static_cast<double>(split))) /
               static_cast<double>(spec.evaluate_every);
}

double tokens_to_generate(const RunSpec& spec, std::int64_t length, bool rolling) {
    const auto context = static_cast<double>(spec.context);
    const auto all = static_cast<double>(length);
    const double within = std::min(context, all);
    if (spec.operations == Operations::eager) return within * within / 2 + (all - within) * context;
    return rolling ? all : within + (all - within) * context;
}

CohortWork cohort_work(const RunSpec& spec, std::int64_t runs, std::int64_t from, double validation,
                       bool loads_engine) {
    const auto members = static_cast<double>(runs);
    const std::int64_t vocabulary = likely_vocabulary(spec);
    const auto steps = static_cast<double>(std::max<std::int64_t>(0, spec.iterations - from));
    const double evaluations = 1 + std::floor(steps / static_cast<double>(spec.evaluate_every));
    const double forward = forward_operations(spec, vocabulary) * slowdown(spec);
    const double step = members * training_operations(spec, vocabulary) * slowdown(spec);
    // The test split of 90/5/5 is as long as the validation split.
    const double last = (spec.evaluation == Evaluation::whole ? 0.0 : validation) +
                        (spec.split == Split::ninety_five_five ? validation : 0.0);
    const double samples = spec.sample_length > 0 ? evaluations : 0;
    const auto probes = static_cast<double>(number_of_probes(spec, from));
    const double sampled = samples * static_cast<double>(spec.sample_length);
    CohortWork work;
    const auto part = [&work](TimedPart which) -> PartWork& { return work[static_cast<std::size_t>(which)]; };
    part(TimedPart::start) = {1, loads_engine ? 1.0 : 0.0, step};
    part(TimedPart::steps) = {steps, steps * members, steps * step};
    part(TimedPart::evaluations) = {
        evaluations, evaluations * members,
        members * slowdown(spec) *
            evaluation_operations(spec, evaluations * evaluated_tokens(spec, validation) + last)};
    part(TimedPart::samples) = {samples, sampled, samples * tokens_to_generate(spec, spec.sample_length) * forward};
    part(TimedPart::probes) = {probes, probes * members,
                               probes * members * forward * static_cast<double>(probed_sequences * spec.context)};
    part(TimedPart::checkpoints) = {
        evaluations, evaluations * members,
        evaluations * members * checkpoint_bytes * static_cast<double>(parameter_count(spec, vocabulary))};
    return work;
}

double default_speed(const RunSpec& spec) {
    constexpr double on_device = 1e14;
    // Measured speed per core with models of width 64: 29e9 with AVX2, and 40e9 to 63e9 with bfloat16 instructions.
    constexpr double per_core = 25e9;
    constexpr double per_core_bfloat16 = 40e9;
    if (spec.device == Device::cuda) return on_device;
    const bool uses_bfloat16 = spec.precision != Precision::float32 && processor_multiplies_bfloat16();
    return (uses_bfloat16 ? per_core_bfloat16 : per_core) * std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

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
