#include "core/rope/encoding_logit.h"

#include <cmath>

#include "core/rope/encodings.h"

namespace ropelab {

namespace {

// Returns 2f²/√d, the contribution of a pair whose angle is 0.
double contribution_at_zero(const Frequencies& frequencies, int head_dim) {
    return 2 * frequencies.attention_factor * frequencies.attention_factor / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace

double rotation_change(const Frequencies& frequencies, int head_dim, double distance) {
    double sum = 0;
    for (const double frequency : frequencies.inverse_frequencies) sum += std::cos(distance * frequency) - 1;
    return contribution_at_zero(frequencies, head_dim) * sum;
}

double xpos_change(const Frequencies& frequencies, int head_dim, double distance, double scale_base) {
    const std::vector<double> decay = xpos_decay(frequencies.rotary_dim, distance, scale_base);
    double sum = 0;
    for (std::size_t pair = 0; pair < decay.size(); ++pair) {
        sum += decay[pair] * std::cos(distance * frequencies.inverse_frequencies[pair]) - 1;
    }
    return contribution_at_zero(frequencies, head_dim) * sum;
}

double sinusoidal_similarity(std::int64_t width, double distance) {
    double sum = 0;
    for (std::int64_t channel = 0; channel + 1 < width; channel += 2) {
        sum += std::cos(distance / std::pow(10000.0, static_cast<double>(channel) / static_cast<double>(width)));
    }
    return 2 * sum / static_cast<double>(width);
}

}  // namespace ropelab
