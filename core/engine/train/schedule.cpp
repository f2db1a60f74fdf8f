#include "core/engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/random_stream.h"

namespace ropelab {

namespace {

std::vector<std::int64_t> random_starts(const RandomStream& stream, std::int64_t count, std::size_t tokens,
                                        std::int64_t context, std::int64_t step) {
    const auto places = static_cast<std::uint64_t>(static_cast<std::int64_t>(tokens) - context);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < starts.size(); ++i) {
        starts[i] = static_cast<std::int64_t>(stream.below(places, static_cast<std::uint64_t>(step), i));
    }
    return starts;
}

}  // namespace

double learning_rate_at(const RunSpec& spec, std::int64_t iteration) {
    const std::int64_t end = spec.decay_iterations > 0 ? spec.decay_iterations : spec.iterations;
    if (iteration < spec.warmup) {
        return spec.learning_rate * static_cast<double>(iteration + 1) / static_cast<double>(spec.warmup + 1);
    }
    if (iteration >= end) return spec.final_learning_rate;
    const double share = static_cast<double>(iteration - spec.warmup) / static_cast<double>(end - spec.warmup);
    const double coefficient = 0.5 * (1.0 + std::cos(std::numbers::pi * share));
    return spec.final_learning_rate + coefficient * (spec.learning_rate - spec.final_learning_rate);
}

double theta_at(const RunSpec& spec, std::int64_t iteration) {
    if (spec.theta_schedule == ThetaSchedule::constant || spec.theta_schedule == ThetaSchedule::drop ||
        spec.iterations == 0)
        return spec.theta;
    const double share = std::min(1.0, static_cast<double>(iteration) / static_cast<double>(spec.iterations));
    if (spec.theta_schedule == ThetaSchedule::linear) return spec.theta + share * (spec.theta_end - spec.theta);
    return spec.theta * std::pow(spec.theta_end / spec.theta, share);
}

double theta_shift_at(const RunSpec& spec, std::int64_t iteration) {
    constexpr double stops = -1000;  // the logarithm of a frequency that is 0 in float64
    if (spec.theta_schedule == ThetaSchedule::drop) return iteration >= spec.drop_step() ? stops : 0;
    return std::log(theta_at(spec, iteration) / spec.theta);
}

std::vector<std::int64_t> batch_starts(const RunSpec& spec, std::size_t tokens, std::int64_t step) {
    if (spec.batches == BatchOrder::random) {
        return random_starts(RandomStream(spec.seed, "batches"), spec.batch, tokens, spec.context, step);
    }
    const std::int64_t sequences = (static_cast<std::int64_t>(tokens) - 1) / spec.context;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(spec.batch));
    for (std::int64_t i = 0; i < spec.batch; ++i) starts[i] = ((step * spec.batch + i) % sequences) * spec.context;
    return starts;
}

std::vector<std::int64_t> sampled_starts(const RunSpec& spec, std::size_t tokens, std::int64_t iteration,
                                         const char* split) {
    return random_starts(RandomStream(spec.seed, std::string("evaluation:") + split),
                         spec.evaluation_batches * spec.batch, tokens, spec.context, iteration);
}

std::vector<std::int64_t> spaced_starts(const RunSpec& spec, std::size_t tokens) {
    const std::int64_t sequences = (static_cast<std::int64_t>(tokens) - 1) / spec.context;
    const std::int64_t count = std::min(sequences, spec.evaluation_batches * spec.batch);
    std::vector<std::int64_t> starts(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) starts[i] = (i * sequences / count) * spec.context;
    return starts;
}

}  // namespace ropelab
