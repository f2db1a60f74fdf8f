#pragma once

#include "core/cuda/device.cuh"

namespace ropelab::cuda {

/// The second stage of sums over rows: out[c] = Σ parts[p, c], part after part in eight interleaved sums.
struct SumParts {
    std::int64_t runs;
    std::int64_t count;
    std::int64_t columns;
    const float* parts;  // (runs, count, columns)
    float* out;          // (runs, columns), stride
    std::int64_t stride;
};
int sum_parts(const SumParts& args, Stream stream);

}  // namespace ropelab::cuda
