#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each warp processes one row of logits.

template <typename T>
__global__ void __launch_bounds__(block_size) cross_entropy_kernel(CrossEntropy args) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;  // exits for all threads of the warp
    const T* logits = static_cast<const T*>(args.logits) + row * args.padded;
    float top = -INFINITY;
    for (std::int64_t c = lane; c < args.columns; c += warp_size) top = fmaxf(top, to_float(logits[c]));
    top = warp_largest(top);
    float total = 0;
    for (std::int64_t c = lane; c < args.columns; c += warp_size) total += exponential(to_float(logits[c]) - top);
    total = warp_sum(total);
    if (lane > 0) return;
    const float log_sum_of_row = log_sum(top, total);
    args.log_sums[row] = log_sum_of_row;
    args.losses[row] = log_sum_of_row - to_float(logits[args.targets[row]]);
}

template <typename T>
__global__ void __launch_bounds__(block_size) cross_entropy_backward_kernel(CrossEntropyBackward args) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;
    const T* logits = static_cast<const T*>(args.logits) + row * args.padded;
    T* gradient = static_cast<T*>(args.gradient) + row * args.padded;
    const float log_sum_of_row = args.log_sums[row];
    const float scale = args.scales[row];
    const std::int64_t target = args.targets[row];
    for (std::int64_t c = lane; c < args.padded; c += warp_size) {
        const float value =
            c < args.columns ? loss_gradient(to_float(logits[c]), log_sum_of_row, c == target, scale) : 0.0F;
        gradient[c] = from_float<T>(value);
    }
}

// Each thread block processes one run.
__global__ void __launch_bounds__(block_size) add_rows_kernel(AddRows args) {
    __shared__ double parts[block_warps];
    const float* losses = args.losses + blockIdx.x * args.rows;
    double total = 0;
    for (std::int64_t row = threadIdx.x; row < args.rows; row += block_size) total += losses[row];
    total = block_sum(total, parts);
    if (threadIdx.x == 0) args.totals[blockIdx.x] += total;
}

}  // namespace

int cross_entropy(const CrossEntropy& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        return launch(&cross_entropy_kernel<decltype(type)>, dim3(blocks_for(args.rows, block_warps)), block_size,
                      stream, args);
    });
}

int cross_entropy_backward(const CrossEntropyBackward& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        return launch(&cross_entropy_backward_kernel<decltype(type)>, dim3(blocks_for(args.rows, block_warps)),
                      block_size, stream, args);
    });
}

int add_rows(const AddRows& args, Stream stream) {
    return launch(&add_rows_kernel, dim3(static_cast<unsigned>(args.runs)), block_size, stream, args);
}

}  // namespace ropelab::cuda
