#include "core/cuda/sum_parts.cuh"

namespace ropelab::cuda {

namespace {

// Each warp copies one row.
__global__ void __launch_bounds__(block_size) look_up_kernel(LookUp args) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;
    const std::int64_t at = blockIdx.y * args.rows + row;
    const float* from = args.table + blockIdx.y * args.stride + args.tokens[at] * args.columns;
    float* to = args.out + at * args.columns;
    for (std::int64_t c = lane; c < args.columns; c += warp_size) to[c] = from[c];
}

constexpr int gradient_threads = 128;
constexpr int gradient_warps = gradient_threads / warp_size;
constexpr int columns_per_thread = 4;
constexpr int tokens_per_thread = 4;

// Each thread block sums the gradient rows of one token within one part of the rows, for 512 columns. It first lists
// the rows of the token in order and then adds them, so that no two threads add to the same number.
__global__ void __launch_bounds__(gradient_threads)
    embedding_gradient_kernel(EmbeddingGradient args, float* out, std::int64_t out_stride, std::int64_t part_rows,
                              unsigned slices) {
    __shared__ int found[gradient_threads * tokens_per_thread];
    __shared__ int counts[tokens_per_thread][gradient_warps];
    const int lane = threadIdx.x % warp_size;
    const int warp = threadIdx.x / warp_size;
    const std::int64_t token = blockIdx.x / slices;
    const std::int64_t column = blockIdx.x % slices * (gradient_threads * columns_per_thread) + threadIdx.x;
    const std::int64_t part = blockIdx.y;
    const std::int64_t run = blockIdx.z;
    const std::int64_t* tokens = args.tokens + run * args.rows;
    const float* gradient = args.gradient + run * args.rows * args.columns;
    const std::int64_t last = (part + 1) * part_rows < args.rows ? (part + 1) * part_rows : args.rows;

    float sums[columns_per_thread] = {};
    for (std::int64_t chunk = part * part_rows; chunk < last; chunk += gradient_threads * tokens_per_thread) {
        unsigned matches[tokens_per_thread];
#pragma unroll
        for (int i = 0; i < tokens_per_thread; ++i) {
            const std::int64_t row = chunk + i * gradient_threads + threadIdx.x;
            matches[i] = __ballot_sync(all_lanes, row < last && tokens[row] == token);
            if (lane == 0) counts[i][warp] = __popc(matches[i]);
        }
        __syncthreads();
        int total = 0;
#pragma unroll
        for (int i = 0; i < tokens_per_thread; ++i) {
            for (int w = 0; w < gradient_warps; ++w) {
                if (w == warp && (matches[i] >> lane & 1U) != 0) {
                    const int place = total + __popc(matches[i] & ((1U << lane) - 1U));
                    found[place] = i * gradient_threads + static_cast<int>(threadIdx.x);
                }
                total += counts[i][w];
            }
        }
        __syncthreads();
        for (int k = 0; k < total; ++k) {
            const float* from = gradient + (chunk + found[k]) * args.columns + column;
#pragma unroll
            for (int i = 0; i < columns_per_thread; ++i) {
                if (column + i * gradient_threads < args.columns) sums[i] += from[i * gradient_threads];
            }
        }
    }
    float* to = out + run * out_stride + (part * args.vocabulary + token) * args.columns + column;
#pragma unroll
    for (int i = 0; i < columns_per_thread; ++i) {
        if (column + i * gradient_threads < args.columns) to[i * gradient_threads] = sums[i];
    }
}

}  // namespace

int look_up(const LookUp& args, Stream stream) {
    return launch(&look_up_kernel, dim3(blocks_for(args.rows, block_warps), static_cast<unsigned>(args.runs)),
                  block_size, stream, args);
}

int embedding_gradient(const EmbeddingGradient& args, Stream stream) {
    const std::int64_t parts = embedding_parts(args.rows, args.vocabulary);
    const std::int64_t part_rows = (args.rows + parts - 1) / parts;
    const std::int64_t table = args.vocabulary * args.columns;
    const auto slices = blocks_for(args.columns, gradient_threads * columns_per_thread);
    const bool direct = parts == 1;
    const int error = launch(&embedding_gradient_kernel,
                             dim3(static_cast<unsigned>(args.vocabulary) * slices, static_cast<unsigned>(parts),
                                  static_cast<unsigned>(args.runs)),
                             gradient_threads, stream, args, direct ? args.grad_table : args.workspace,
                             direct ? args.gradient_stride : parts * table, part_rows, slices);
    if (error || direct) return error;
    return sum_parts({args.runs, parts, table, args.workspace, args.grad_table, args.gradient_stride}, stream);
}

}  // namespace ropelab::cuda
