#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// A warp works on a row of scores; the row is read again from the cache. `whole`: rows are whole groups of four.

template <typename T, bool whole>
__global__ void __launch_bounds__(block_size) softmax_kernel(CausalSoftmax args, DropoutArguments dropout) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;  // a whole warp
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
    const Dropper dropper = dropout.of(run);
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
    if (row >= args.rows) return;  // a whole warp
    const std::int64_t run = blockIdx.y;
    const std::int64_t seen = row % args.time + 1;
    const std::int64_t at = (run * args.rows + row) * args.time;
    const T* shares = static_cast<const T*>(args.shares) + at;
    T* gradient = static_cast<T*>(args.gradient) + at;
    const Dropper dropper = dropout.of(run);
    const Groups groups(row, args.time, args.time);
    // Share, gradient of the share, 0 in the future, and what dropout multiplied the share by, which is costly to draw.
    const auto each = [&](auto use) {
        for (std::int64_t group = groups.first + lane; group < groups.last; group += warp_size) {
            const std::int64_t c = groups.column(group);
            float share[4];
            float of_share[4];
            load_four<whole>(shares, c, seen, 0.0F, share);
            load_four<whole>(static_cast<const T*>(gradient), c, seen, 0.0F, of_share);
            const FourFactors factors = dropper.factors(static_cast<std::uint64_t>(group));
            for (int i = 0; i < 4; ++i) of_share[i] *= factors.f[i];
            use(group, share, of_share, factors);
        }
    };

    float along = 0;
    each([&](std::int64_t, const float(&share)[4], const float(&of_share)[4], const FourFactors&) {
        for (int i = 0; i < 4; ++i) along += share[i] * of_share[i];
    });
    along = warp_sum(along);
    each([&](std::int64_t group, float(&share)[4], float(&of_share)[4], const FourFactors& factors) {
        const std::int64_t c = groups.column(group);
        for (int i = 0; i < 4; ++i) of_share[i] = score_gradient(share[i], of_share[i], along, args.scale);
        store_four<whole>(gradient, c, args.time, of_share);
        if (!dropper.drops || !args.dropped) return;
        for (int i = 0; i < 4; ++i) share[i] *= factors.f[i];
        store_four<whole>(static_cast<T*>(args.dropped) + at, c, args.time, share);
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
