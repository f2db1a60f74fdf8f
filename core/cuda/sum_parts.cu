#include "core/cuda/sum_parts.cuh"

namespace ropelab::cuda {

namespace {

// Each thread block processes 32 columns, with block_warps partial sums per column.
__global__ void __launch_bounds__(block_size) sum_parts_kernel(SumParts args) {
    __shared__ float sums[block_warps][warp_size];
    const int lane = threadIdx.x % warp_size;
    const int warp = threadIdx.x / warp_size;
    const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * warp_size + lane;
    const std::int64_t run = blockIdx.y;
    float total = 0;
    if (c < args.columns) {
        const float* parts = args.parts + run * args.count * args.columns + c;
        // Unrolling keeps many loads in flight, which hides the memory latency.
#pragma unroll 16
        for (std::int64_t part = warp; part < args.count; part += block_warps) total += parts[part * args.columns];
    }
    sums[warp][lane] = total;
    __syncthreads();
    if (warp > 0 || c >= args.columns) return;
    for (int other = 1; other < block_warps; ++other) total += sums[other][lane];
    args.out[run * args.stride + c] = total;
}

}  // namespace

int sum_parts(const SumParts& args, Stream stream) {
    return launch(&sum_parts_kernel, dim3(blocks_for(args.columns, warp_size), static_cast<unsigned>(args.runs)),
                  block_size, stream, args);
}

}  // namespace ropelab::cuda
