#include "core/bench/rotation_bench.h"

#include <cstring>
#include <numeric>

#include "core/rope/rotation.h"

namespace ropelab::bench {

RotationSpeed measure_rotation(std::size_t rows, std::size_t time, int head_dim, double fraction,
                               const MeasurementLimits& patience, const Cancelled& cancelled) {
    std::vector<float> x(rows * time * static_cast<std::size_t>(head_dim), 0.5F);
    std::vector<float> y(x.size(), 0.0F);
    std::vector<std::int64_t> positions(time);
    std::iota(positions.begin(), positions.end(), 0);
    const RotationTable table =
        rotation_table(frequencies({.head_dim = head_dim, .theta = 10000.0, .fraction = fraction}), positions);
    const auto rotation_task = [&](Pairing pairing) {
        return [&, pairing] { rotate(x, static_cast<std::size_t>(head_dim), table, pairing); };
    };
    const auto seconds = measure_alternately({rotation_task(Pairing::half), rotation_task(Pairing::interleaved),
                                              [&] { std::memcpy(y.data(), x.data(), x.size() * sizeof(float)); }},
                                             patience, cancelled);
    RotationSpeed result;
    result.bytes = static_cast<double>(x.size() * sizeof(float));
    result.half = speed_of(seconds[0], 2 * result.bytes);
    result.interleaved = speed_of(seconds[1], 2 * result.bytes);
    result.copy = speed_of(seconds[2], 2 * result.bytes);
    result.half_over_copy = ratio_of(seconds[2], seconds[0]);
    result.interleaved_over_copy = ratio_of(seconds[2], seconds[1]);
    return result;
}

}  // namespace ropelab::bench
