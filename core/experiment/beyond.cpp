#include "core/experiment/beyond.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/experiment/device_choice.h"
#include "core/experiment/probing.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr std::int64_t judged_symbols = 16384;  // the tail of a long window has few others

void check_reach(const RunSpec& spec, std::int64_t factor) {
    if (spec.learns_positions()) {
        throw BadInput("This run learned a vector for each of its " + std::to_string(spec.context) +
                       " positions, so there is nothing to read beyond them with.");
    }
    if (!spec.rotates()) throw BadInput("This run has no positions that could be scaled; pick one that rotates.");
    if (factor < 1) {
        throw BadInput("The length is " + std::to_string(factor) +
                       " times the run's context, but it must be 1 time or more, as 2, 4 or 8.");
    }
    if (const std::int64_t most = longest_reach / spec.context; factor > most) {
        throw BadInput("The length is " + std::to_string(factor) + " times the run's context of " +
                       std::to_string(spec.context) + ", but it must be at most " + std::to_string(most) +
                       " times, so that a window has no more than " + std::to_string(longest_reach) + " symbols.");
    }
}

ProbeRequest request_of(const Corpus& corpus, const RunSpec& spec, std::int64_t factor,
                        std::optional<std::int64_t> windows) {
    const std::int64_t length = spec.context * factor;
    ProbeRequest request = judging_request(corpus.validation, length, judged_symbols);
    if (windows) request.windows = spaced_windows(corpus.validation, length, *windows);
    return request;
}

// nullopt where it was cancelled: the model then ended before it had read everything.
std::optional<BeyondReading> read(Model& model, ProbeRequest& request, ScalingMethod method, std::int64_t factor) {
    request.scaling = {.method = method, .factor = static_cast<double>(factor)};
    BeyondReading reading{method, std::make_shared<const ProbeResult>(model.probe(request))};
    if (request.cancelled && request.cancelled()) return std::nullopt;
    return reading;
}

}  // namespace

std::span<const ScalingMethod> beyond_methods() {
    static constexpr std::array methods = {ScalingMethod::none,    ScalingMethod::linear, ScalingMethod::ntk,
                                           ScalingMethod::dynamic, ScalingMethod::yarn,   ScalingMethod::llama3};
    return methods;
}

double learning_rate_of(const FineTuning& how, const RunSpec& spec) {
    return how.learning_rate == 0 ? spec.learning_rate / 10 : how.learning_rate;
}

void check_fine_tuning(const RunSpec& spec, const FineTuning& how) {
    check_reach(spec, how.factor);
    if (spec.theta_moves()) {
        throw BadInput(
            "This run moved its theta while it trained, so there is no fixed one to scale and train on with.");
    }
    if (how.steps < 0) {
        throw BadInput("Fine-tuning takes " + std::to_string(how.steps) + " steps, but they must be 0 or more.");
    }
    const double rate = learning_rate_of(how, spec);
    if (!(rate > 0) || !std::isfinite(rate)) {
        throw BadInput("The learning rate of fine-tuning is " + number_text(rate) +
                       ", but it must be above 0 and finite.");
    }
}

BeyondResult read_beyond(Engine& engine, const Checkpoint& checkpoint, std::int64_t factor,
                         std::span<const ScalingMethod> methods, const std::filesystem::path& data_dir,
                         const std::function<bool()>& cancelled, std::optional<std::int64_t> windows) {
    check_reach(checkpoint.spec, factor);
    ProbeRequest request = request_of(*corpus_of(checkpoint, data_dir), checkpoint.spec, factor, windows);
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    BeyondResult result{factor, checkpoint.iteration, {}};
    for (const ScalingMethod method : methods) {
        auto reading = read(*model, request, method, factor);
        if (!reading) break;
        result.readings.push_back(std::move(*reading));
    }
    return result;
}

std::optional<Checkpoint> fine_tuned(Engine& engine, const Checkpoint& checkpoint, const FineTuning& how,
                                     const std::filesystem::path& data_dir,
                                     const std::function<bool(std::int64_t done)>& goes_on) {
    check_fine_tuning(checkpoint.spec, how);
    const auto corpus = corpus_of(checkpoint, data_dir);
    RunSpec spec = checkpoint.spec;
    spec.context *= how.factor;
    spec.batch = std::max<std::int64_t>(1, spec.batch / how.factor);
    spec.iterations = checkpoint.iteration + how.steps;
    spec.warmup = 0;
    spec.decay_iterations = 0;
    spec.learning_rate = spec.final_learning_rate = learning_rate_of(how, checkpoint.spec);

    CohortStart start;
    start.runs = {spec};
    start.iteration = checkpoint.iteration;
    start.states = {checkpoint.state};
    start.conditions = checkpoint.conditions;
    const FirstContact check{.cancelled = [&] { return !goes_on(0); }};
    if (!engine.info().cuda || settle_device_trust(engine, spec, start.conditions, check).leaves_device) {
        start.conditions->device = "cpu";
        start.conditions->kernels.clear();
    }
    start.scaling = {.method = how.method,
                     .factor = static_cast<double>(how.factor),
                     .original_context = static_cast<double>(checkpoint.spec.context)};
    const auto cohort = engine.create_cohort(start, {corpus->vocabulary.size(), corpus->training, corpus->validation});
    for (std::int64_t done = 0; done < how.steps; ++done) {
        if (!goes_on(done)) return std::nullopt;
        const StepResult step = cohort->step().front();
        if (std::isfinite(step.training_loss) && std::isfinite(step.gradient_norm)) continue;
        throw BadInput("The loss was no longer a finite number after " + std::to_string(done + 1) +
                       " steps of fine-tuning; a learning rate below " + number_text(step.learning_rate) +
                       " usually helps.");
    }
    if (!goes_on(how.steps)) return std::nullopt;
    Checkpoint result = checkpoint;
    result.iteration = cohort->iteration();
    result.state = cohort->state(0);
    return result;
}

BeyondResult fine_tune_beyond(Engine& engine, const Checkpoint& checkpoint, const FineTuning& how,
                              const std::filesystem::path& data_dir,
                              const std::function<bool(std::int64_t done)>& goes_on,
                              std::optional<std::int64_t> windows) {
    check_fine_tuning(checkpoint.spec, how);
    BeyondResult result{how.factor, checkpoint.iteration, {}};
    ProbeRequest request = request_of(*corpus_of(checkpoint, data_dir), checkpoint.spec, how.factor, windows);
    std::int64_t done = 0;
    request.cancelled = [&] { return !goes_on(done); };
    auto before = read(*model_of(engine, checkpoint), request, how.method, how.factor);
    if (!before) return result;
    result.readings.push_back(std::move(*before));
    const auto tuned = fine_tuned(engine, checkpoint, how, data_dir, [&](std::int64_t steps) {
        done = steps;
        return goes_on(steps);
    });
    if (!tuned) return result;
    auto after = read(*model_of(engine, *tuned), request, how.method, how.factor);
    if (!after) return result;
    after->fine_tuning = how;
    result.readings.push_back(std::move(*after));
    return result;
}

SplitLoss split_loss(const ProbeResult& result, std::int64_t context) {
    const auto mean = [&](std::size_t first, std::size_t last) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = first; i < last; ++i) {
            if (!std::isfinite(result.loss_by_position[i])) continue;
            sum += result.loss_by_position[i];
            ++count;
        }
        return sum / count;  // NaN without any
    };
    const std::size_t end = result.loss_by_position.size();
    const std::size_t edge = std::min(end, static_cast<std::size_t>(context));
    return {mean(0, edge), mean(edge, end)};
}

}  // namespace ropelab
