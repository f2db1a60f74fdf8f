#include "core/engine/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ropelab {

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
    if (spec.theta_schedule == ThetaSchedule::constant || spec.iterations == 0) return spec.theta;
    const double share = std::min(1.0, static_cast<double>(iteration) / static_cast<double>(spec.iterations));
    if (spec.theta_schedule == ThetaSchedule::linear) return spec.theta + share * (spec.theta_end - spec.theta);
    return spec.theta * std::pow(spec.theta_end / spec.theta, share);
}

}  // namespace ropelab
