#include "core/experiment/estimate.h"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include "core/data/corpus.h"
#include "core/data/known_sets.h"
#include "core/data/splits.h"
#include "core/data/text_source.h"
#include "core/experiment/device_need.h"
#include "core/experiment/experiment.h"
#include "core/experiment/step_cost.h"
#include "core/spec/error.h"
#include "core/spec/processor.h"

namespace ropelab {

namespace {

constexpr double default_validation = 1e5;  // tokens of a validation split of unknown size

// Returns the number of tokens of one evaluation: the whole validation split (of `validation` tokens) or
// evaluation_batches of it, and evaluation_batches of the training split.
double evaluated_tokens(const RunSpec& spec, double validation) {
    const auto batches = static_cast<double>(spec.evaluation_batches * spec.batch * spec.context);
    return spec.evaluation == Evaluation::whole ? validation + batches : 2.0 * batches;
}

// Returns the factor by which operations=eager is slower. It needs extra passes over memory besides the matrix
// products, so the factor falls with the width. Measured on two cores: 1.5 at width 64, 1.2 and 1.35 at 128, 1.1 at
// 384.
double slowdown(const RunSpec& spec) {
    return spec.operations == Operations::fused ? 1.0 : 1.0 + 32.0 / static_cast<double>(spec.width);
}

double operations_of_run(const RunSpec& spec, double validation) {
    const auto evaluations = static_cast<double>(1 + spec.iterations / spec.evaluate_every);
    const double last = spec.evaluation == Evaluation::whole ? 0.0 : validation;
    const double operations =
        training_operations(spec, likely_vocabulary(spec)) * static_cast<double>(spec.iterations) +
        evaluation_operations(spec, evaluations * evaluated_tokens(spec, validation) + last);
    return operations * slowdown(spec);
}

}  // namespace

double evaluation_operations(const RunSpec& spec, double tokens) {
    constexpr double gain = 3;  // speed of evaluation relative to training, measured on two cores at widths 64 and 128
    return forward_operations(spec, likely_vocabulary(spec)).total() * tokens / gain;
}

double operations_per_step(const RunSpec& spec) {
    const double split = find_language(spec.data)
                             ? static_cast<double>(split_sizes(spec.data_length, spec.split).validation)
                             : default_validation;
    return training_operations(spec, likely_vocabulary(spec)) +
           evaluation_operations(spec, evaluated_tokens(spec, split)) / static_cast<double>(spec.evaluate_every);
}

std::int64_t likely_validation_tokens(const RunSpec& spec, const std::filesystem::path& data_dir) {
    if (find_language(spec.data)) return split_sizes(spec.data_length, spec.split).validation;
    try {
        const TextSource source = locate(spec.data, data_dir);
        if (source.is_folder) {
            const std::int64_t bytes = bytes_of(files_of_folder(source.file));
            return std::min(split_sizes(bytes, spec.split).validation, largest_held_out);
        }
        std::error_code error;
        const auto bytes = std::filesystem::file_size(source.file, error);
        if (!error) return split_sizes(static_cast<std::int64_t>(bytes), spec.split).validation;
    } catch (const BadInput&) {
        // The data set is missing; training will report that.
    }
    const KnownSet* set = find_known_set(spec.data);
    return set != nullptr ? split_sizes(set->bytes, spec.split).validation
                          : static_cast<std::int64_t>(default_validation);
}

std::optional<double> reached_speed(const std::vector<RunSpec>& runs, double seconds,
                                    const std::filesystem::path& data_dir) {
    constexpr double enough = 5;             // seconds; in shorter sweeps the start takes too large a part
    constexpr std::int64_t many_steps = 50;  // per run; in shorter runs evaluations and samples take too large a part
    const bool representative =
        seconds >= enough && !runs.empty() &&
        std::all_of(runs.begin(), runs.end(), [](const RunSpec& run) { return run.iterations >= many_steps; });
    if (!representative) return std::nullopt;
    return estimate(runs, 1.0, data_dir).seconds / seconds;
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

Estimate estimate(const std::vector<RunSpec>& runs, double operations_per_second,
                  const std::filesystem::path& data_dir) {
    std::map<std::tuple<std::string, Split, std::int64_t>, double>
        validation;  // split sizes, looked up once per data set
    Estimate result;
    result.runs = static_cast<int>(runs.size());
    for (const auto& cohort : group_into_cohorts(runs)) {
        ++result.cohorts;
        const RunSpec& spec = runs[cohort.front()];
        const auto [length, is_new] = validation.try_emplace({spec.data, spec.split, spec.data_length});
        if (is_new) length->second = static_cast<double>(likely_validation_tokens(spec, data_dir));
        const auto members = static_cast<double>(cohort.size());
        result.parameters = std::max(result.parameters, parameter_count(spec, likely_vocabulary(spec)));
        const double speed = operations_per_second > 0 ? operations_per_second : default_speed(spec);
        result.seconds += members * operations_of_run(spec, length->second) / speed;
        result.bytes = std::max(result.bytes, static_cast<std::int64_t>(likely_bytes(spec, std::ssize(cohort))));
    }
    return result;
}

}  // namespace ropelab
