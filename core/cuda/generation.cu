#include "core/cuda/generation.cuh"

namespace ropelab::cuda {

namespace {

__global__ void __launch_bounds__(block_size) read_symbol_kernel(ReadSymbol args) {
    const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (c >= args.columns) return;
    const std::int64_t position = *args.position;
    const float* learned = args.positions ? args.positions + position * args.columns : nullptr;
    args.x[c] = SymbolVector{args.table + args.text[position] * args.columns, learned}(static_cast<int>(c));
}

template <typename T, bool whole>
__global__ void __launch_bounds__(block_size) vector_product_kernel(VectorProduct args) {
    auto* shared = reinterpret_cast<float*>(dynamic_memory());
    const int warp = static_cast<int>(blockIdx.x * block_warps + threadIdx.x / warp_size);
    const int warps = static_cast<int>(gridDim.x) * block_warps;
    const bool joins = args.attended.numbers != nullptr;
    const int seen = joins ? Standing(*args.position, args.attended.context).seen : 0;
    const auto fill = [&](float* x, int n) {
        if (joins) {
            calculate_vector(JoinedVector(args.attended, seen), x, n);
        } else {
            copy_vector<whole>(args.x, x, n);
        }
    };
    multiply<T, whole>(args, fill, shared, warp, warps);
}

__global__ void __launch_bounds__(text_threads) attend_cached_kernel(AttendCached args) {
    __shared__ AttendMemory memory;
    const Standing at(*args.position, args.attended.context);
    const int part = static_cast<int>(blockIdx.y);
    if (part * args.attended.entries >= at.seen) return;  // a whole block
    attend_part(args, static_cast<int>(blockIdx.x), part, at, memory);
}

// One block.
__global__ void __launch_bounds__(text_threads) sample_symbol_kernel(SampleSymbol args) {
    __shared__ DrawMemory memory;
    const std::int64_t next = *args.position + 1;
    int symbol = 0;
    if (next >= args.prompt) symbol = draw_symbol(args, static_cast<std::uint64_t>(next - args.prompt), memory);
    __syncthreads();  // all have read the position
    if (threadIdx.x > 0) return;
    if (next >= args.prompt) args.text[next] = symbol;
    *args.position = next;
}

}  // namespace

int read_symbol(const ReadSymbol& args, Stream stream) {
    return launch(&read_symbol_kernel, dim3(blocks_for(args.columns, block_size)), block_size, stream, args);
}

int vector_product(const VectorProduct& args, Stream stream) {
    const std::int64_t floats = product_floats(args.columns, args.norm_weight != nullptr);
    if (floats > most_columns) return cudaErrorInvalidValue;
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole = rows_are_whole<T>(args.matrix, args.columns) && fits<4>(args.x) &&
                           fits<4>(args.norm_weight) && fits<4>(args.norm_bias);
        const auto kernel = whole ? &vector_product_kernel<T, true> : &vector_product_kernel<T, false>;
        return launch_sharing(kernel, blocks_for(args.rows, block_warps), block_size,
                              static_cast<std::size_t>(floats) * sizeof(float), false, stream, args);
    });
}

int attend_cached(const AttendCached& args, Stream stream) {
    const std::int64_t head_dim = args.attended.head_dim;
    if (head_dim > most_channels || head_dim % 2 != 0 || args.heads % args.key_value_heads != 0) {
        return cudaErrorInvalidValue;
    }
    const dim3 grid(static_cast<unsigned>(args.heads), static_cast<unsigned>(args.attended.parts));
    return launch(&attend_cached_kernel, grid, text_threads, stream, args);
}

int sample_symbol(const SampleSymbol& args, Stream stream) {
    if (args.symbols > most_symbols) return cudaErrorInvalidValue;
    return launch(&sample_symbol_kernel, dim3(1), text_threads, stream, args);
}

}  // namespace ropelab::cuda
