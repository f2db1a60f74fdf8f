#pragma once

#include <cmath>
#include <vector>

#include "core/rope/logit.h"

namespace ropelab {

/// R_m, (head_dim, head_dim), row-major, without the attention factor.
inline std::vector<double> rotation_matrix(int head_dim, double position, const Frequencies& frequencies,
                                           Partial partial, Pairing pairing) {
    const auto size = static_cast<std::size_t>(head_dim);
    const std::vector<ChannelPair> pairs = channel_pairs(head_dim, frequencies.rotary_dim, partial, pairing);
    std::vector<double> matrix(size * size);
    for (std::size_t c = 0; c < size; ++c) matrix[c * size + c] = 1.0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [first, second] = pairs[i];
        const double angle = position * frequencies.inverse_frequencies[i];
        matrix[first * size + first] = matrix[second * size + second] = std::cos(angle);
        matrix[first * size + second] = -std::sin(angle);
        matrix[second * size + first] = std::sin(angle);
    }
    return matrix;
}

}  // namespace ropelab
