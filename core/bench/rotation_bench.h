#pragma once

#include "core/bench/spread.h"

namespace ropelab::bench {

/// Rotation of an array of q and k by core/rope, in place, on one thread, beside a plain copy of the same bytes. Speeds
/// in bytes a second, read and written.
struct RotationSpeed {
    double bytes = 0;  // of the array
    Spread half;       // pairing i with i + d/2
    Spread interleaved;
    Spread copy;
    Spread half_over_copy;  // ratios of speeds
    Spread interleaved_over_copy;
};

/// For rows heads in all (batch · heads · 2), each of `time` positions of `head_dim` channels.
RotationSpeed measure_rotation(std::size_t rows, std::size_t time, int head_dim, double fraction,
                               const Patience& patience, const Cancelled& cancelled = {});

}  // namespace ropelab::bench
