#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each thread processes four numbers. `whole` means that the size of a run is a multiple of four.
template <typename T, bool whole>
__global__ void __launch_bounds__(block_size)
    drop_out_kernel(const T* in, T* out, std::int64_t size, DropoutArguments dropout) {
    const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (4 * group >= size) return;
    const std::int64_t run = blockIdx.y;
    float x[4];
    load_four<whole>(in + run * size, 4 * group, size, 0.0F, x);
    dropout.for_run(run).multiply(static_cast<std::uint64_t>(group), x);
    store_four<whole>(out + run * size, 4 * group, size, x);
}

}  // namespace

int drop_out(const DropOut& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const auto* in = static_cast<const T*>(args.in);
        auto* out = static_cast<T*>(args.out);
        const bool whole = args.size % 4 == 0 && fits<4>(in) && fits<4>(out);
        const auto kernel = whole ? &drop_out_kernel<T, true> : &drop_out_kernel<T, false>;
        return launch(kernel, dim3(blocks_for(args.size, 4 * block_size), static_cast<unsigned>(args.runs)), block_size,
                      stream, in, out, args.size, DropoutArguments(args.dropout));
    });
}

}  // namespace ropelab::cuda
