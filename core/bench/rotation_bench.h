#pragma once

#include "core/bench/spread.h"

namespace ropelab::bench {

/// Speed of rotating an array of queries and keys in place with core/rope, on one thread, compared with a plain copy of
/// the array. Speeds are in bytes per second, where reads and writes both count.
struct RotationSpeed {
    double bytes = 0;              // size of the array
    Spread half;                   // pairs of channel i and channel i + d/2
    Spread interleaved;            // pairs of channel 2i and channel 2i + 1
    Spread copy;                   // copy of the array
    Spread half_over_copy;         // ratio of the speeds
    Spread interleaved_over_copy;  // ratio of the speeds
};

/// Measures the speed of rotation for `rows` heads (batch size · heads · 2 for queries and keys), each with `time`
/// positions of `head_dim` channels.
RotationSpeed measure_rotation(std::size_t rows, std::size_t time, int head_dim, double fraction,
                               const MeasurementLimits& patience, const Cancelled& cancelled = {});

}  // namespace ropelab::bench
