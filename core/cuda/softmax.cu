#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each warp processes one row of scores and loads it again from the cache for each pass. `whole` means that the row
// length is a multiple of four.

template <typename T, bool whole>
__global__ void __launch_bounds__(block_size) softmax_kernel(CausalSoftmax args, DropoutArguments dropout) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;  // exits for all threads of the warp
    const std::int64_t run = blockIdx.y;
    const std::int64_t seen = row % args.time + 1;
    const std::int64_t at = (run * args.rows + row) * args.time;
    T* scores = static_cast<T*>(args.scores) + at;
    const Groups groups(row, args.time, args.time);
    const auto each = [&](auto use) {
        for (std::int64_t group = groups.first + lane; group < groups.last; group += warp_size) {
            float x[4];
            load_four<whole>(scores, groups.column(group), seen, -INFINITY, x);
            use(group, x);
        }
    };

    float top = -INFINITY;
    each([&](std::int64_t, const float(&x)[4]) {
        for (float score : x) top = fmaxf(top, score);
    });
    top = warp_largest(top);
    float total = 0;
    each([&](std::int64_t, const float(&x)[4]) {
        for (float score : x) total += exponential((score - top) * args.scale);
    });
    const float inverse = 1.0F / warp_sum(total);
    const Dropper dropper = dropout.for_run(run);
    each([&](std::int64_t group, float(&x)[4]) {
        const std::int64_t c = groups.column(group);
        for (float& score : x) score = exponential((score - top) * args.scale) * inverse;
        store_four<whole>(scores, c, args.time, x);
        if (!dropper.drops || !args.dropped) return;
        dropper.multiply(static_cast<std::uint64_t>(group), x);
        store_four<whole>(static_cast<T*>(args.dropped) + at, c, args.time, x);
    });
}

template <typename T, bool whole>
__global__ void __launch_bounds__(block_size)
    softmax_backward_kernel(CausalSoftmaxBackward args, DropoutArguments dropout) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;  // exits for all threads of the warp
    const std::int64_t run = blockIdx.y;
    const std::int64_t seen = row % args.time + 1;
    const std::int64_t at = (run * args.rows + row) * args.time;
    const T* weights = static_cast<const T*>(args.shares) + at;
    T* gradient = static_cast<T*>(args.gradient) + at;
    const Dropper dropper = dropout.for_run(run);
    const Groups groups(row, args.time, args.time);
    // Calls use(group, attention weights, their gradients, dropout factors); weights and gradients of later keys are 0.
    // The factors are passed because they are expensive to compute.
    const auto each = [&](auto use) {
        for (std::int64_t group = groups.first + lane; group < groups.last; group += warp_size) {
            const std::int64_t c = groups.column(group);
            float weight[4];
            float grad_weight[4];
            load_four<whole>(weights, c, seen, 0.0F, weight);
            load_four<whole>(static_cast<const T*>(gradient), c, seen, 0.0F, grad_weight);
            const FourFactors factors = dropper.factors(static_cast<std::uint64_t>(group));
            for (int i = 0; i < 4; ++i) grad_weight[i] *= factors.f[i];
            use(group, weight, grad_weight, factors);
        }
    };

    float along = 0;
    each([&](std::int64_t, const float(&weight)[4], const float(&grad_weight)[4], const FourFactors&) {
        for (int i = 0; i < 4; ++i) along += weight[i] * grad_weight[i];
    });
    along = warp_sum(along);
    each([&](std::int64_t group, float(&weight)[4], float(&grad_weight)[4], const FourFactors& factors) {
        const std::int64_t c = groups.column(group);
        for (int i = 0; i < 4; ++i) grad_weight[i] = score_gradient(weight[i], grad_weight[i], along, args.scale);
        store_four<whole>(gradient, c, args.time, grad_weight);
        if (!dropper.drops || !args.dropped) return;
        for (int i = 0; i < 4; ++i) weight[i] *= factors.f[i];
        store_four<whole>(static_cast<T*>(args.dropped) + at, c, args.time, weight);
    });
}

template <typename Args>
dim3 grid_of(const Args& args) {
    return dim3(blocks_for(args.rows, block_warps), static_cast<unsigned>(args.runs));
}

}  // namespace

int causal_softmax(const CausalSoftmax& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole =
            args.time % 4 == 0 && fits<4>(static_cast<T*>(args.scores)) && fits<4>(static_cast<T*>(args.dropped));
        const auto kernel = whole ? &softmax_kernel<T, true> : &softmax_kernel<T, false>;
        return launch(kernel, grid_of(args), block_size, stream, args, DropoutArguments(args.dropout));
    });
}

int causal_softmax_backward(const CausalSoftmaxBackward& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole = args.time % 4 == 0 && fits<4>(static_cast<const T*>(args.shares)) &&
                           fits<4>(static_cast<T*>(args.gradient)) && fits<4>(static_cast<T*>(args.dropped));
        const auto kernel = whole ? &softmax_backward_kernel<T, true> : &softmax_backward_kernel<T, false>;
        return launch(kernel, grid_of(args), block_size, stream, args, DropoutArguments(args.dropout));
    });
}

}  // namespace ropelab::cuda
