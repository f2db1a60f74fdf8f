#pragma once

#include "core/cuda/device.cuh"

namespace ropelab::cuda {

/// Arguments of `sum_parts`, the second stage of sums over rows: out[c] = Σ parts[p, c]. Eight interleaved partial sums
/// are computed in order and then added.
struct SumParts {
    std::int64_t runs;
    std::int64_t count;
    std::int64_t columns;
    const float* parts;  // (runs, count, columns)
    float* out;          // (runs, columns), with `stride`
    std::int64_t stride;
};
/// Sums the parts of a sum over rows; see SumParts.
int sum_parts(const SumParts& args, Stream stream);

}  // namespace ropelab::cuda
