#pragma once

#include <numeric>
#include <vector>

#include "core/rope/rotation.h"

namespace ropelab {

/// Positions 0 … count − 1 in the canonical pairing (canonical_channels).
inline RotationTable canonical_table(const FrequencySettings& settings, std::size_t count) {
    Frequencies padded = frequencies(settings);
    padded.inverse_frequencies.resize(static_cast<std::size_t>(settings.head_dim / 2), 0.0);
    std::vector<std::int64_t> positions(count);
    std::iota(positions.begin(), positions.end(), 0);
    return rotation_table(padded, positions);
}

}  // namespace ropelab
