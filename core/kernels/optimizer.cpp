#include <algorithm>
#include <cmath>

#include "core/kernels/bfloat16.h"
#include "core/kernels/kernels.h"

namespace ropelab::kernels {

double sum_of_squares(const float* values, std::int64_t count) {
    double totals[16] = {};
    std::int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (std::int64_t lane = 0; lane < 16; ++lane) {
            const double value = values[i + lane];
            totals[lane] += value * value;
        }
    }
    for (; i < count; ++i) totals[i % 16] += static_cast<double>(values[i]) * values[i];
    double total = 0;
    for (double part : totals) total += part;
    return total;
}

void adamw(float* weights, const float* gradient, float* first_moment, float* second_moment, std::int64_t count,
           float scale, const AdamW& settings, std::uint16_t* working) {
    const auto beta1 = static_cast<float>(settings.beta1);
    const auto beta2 = static_cast<float>(settings.beta2);
    const auto one_minus_beta1 = static_cast<float>(1.0 - settings.beta1);
    const auto one_minus_beta2 = static_cast<float>(1.0 - settings.beta2);
    const auto decay_factor = static_cast<float>(1.0 - settings.rate * settings.decay);
    const auto step = static_cast<float>(settings.rate / settings.correction1);
    const auto inverse_root = static_cast<float>(1.0 / std::sqrt(settings.correction2));
    const auto epsilon = static_cast<float>(settings.epsilon);
    constexpr std::int64_t part = 1024;  // weights are rounded while they are in the L1 cache
    for (std::int64_t begin = 0; begin < count; begin += part) {
        const std::int64_t end = std::min(count, begin + part);
        for (std::int64_t i = begin; i < end; ++i) {
            const float g = gradient[i] * scale;
            const float first = beta1 * first_moment[i] + one_minus_beta1 * g;
            const float second = beta2 * second_moment[i] + one_minus_beta2 * g * g;
            first_moment[i] = first;
            second_moment[i] = second;
            weights[i] = weights[i] * decay_factor - step * first / (std::sqrt(second) * inverse_root + epsilon);
        }
        if (!working) continue;
        for (std::int64_t i = begin; i < end; ++i) working[i] = to_bfloat16(weights[i]).bits;
    }
}

}  // namespace ropelab::kernels
