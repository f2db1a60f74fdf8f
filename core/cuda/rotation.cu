#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each thread rotates N pairs, with 32-bit indices within a run. Only the first `rotated_heads` of the `heads` heads of
// a row are rotated (those of q and k).
template <typename T, int N>
__global__ void __launch_bounds__(block_size)
    rotate_kernel(T* qkv, const float* cosine, const float* sine, Pairing pairing, unsigned rows, unsigned time,
                  unsigned rotated_heads, unsigned heads, unsigned head_dim, float direction) {
    const unsigned pairs = head_dim / 2;
    const unsigned pieces = pairs / N;
    const unsigned item = blockIdx.x * block_size + threadIdx.x;
    if (item >= rows * rotated_heads * pieces) return;
    const unsigned piece = item % pieces;
    const unsigned head = item / pieces % rotated_heads;  // index of the head in q and k, which are contiguous
    const unsigned row = item / pieces / rotated_heads;
    const std::int64_t run = blockIdx.y;

    T* numbers = qkv + ((run * rows + row) * heads + head) * head_dim;
    const std::int64_t at = (run * time + row % time) * pairs + piece * N;
    const auto c = load<N>(cosine + at);
    const auto s = load<N>(sine + at);
    // With the pairing `half`, x and y are the first and second numbers of the N pairs; with `interleaved`, they are
    // 2·N contiguous numbers.
    T* first = numbers + first_channel(pairing, piece * N);
    T* second = pairing == Pairing::half ? first + pairs : first + N;
    auto x = load<N>(first);
    auto y = load<N>(second);
    const auto rotate_numbers = [&](T& a, T& b, int i) {
        const Pair rotated = rotate_pair({to_float(a), to_float(b)}, c.v[i], s.v[i], direction);
        a = from_float<T>(rotated.a);
        b = from_float<T>(rotated.b);
    };
    if (pairing == Pairing::half) {
#pragma unroll
        for (int i = 0; i < N; ++i) rotate_numbers(x.v[i], y.v[i], i);
    } else if constexpr (N == 1) {
        rotate_numbers(x.v[0], y.v[0], 0);
    } else {
#pragma unroll
        for (int i = 0; i < N / 2; ++i) {
            rotate_numbers(x.v[2 * i], x.v[2 * i + 1], i);
            rotate_numbers(y.v[2 * i], y.v[2 * i + 1], N / 2 + i);
        }
    }
    store<N>(first, x);
    store<N>(second, y);
}

template <typename T, int N>
int rotate(const RotateQkv& args, Stream stream) {
    const std::int64_t rotated_heads = args.heads + args.key_value_heads;
    const std::int64_t items = args.rows * rotated_heads * (args.head_dim / 2 / N);
    return launch(&rotate_kernel<T, N>, dim3(blocks_for(items, block_size), static_cast<unsigned>(args.runs)),
                  block_size, stream, static_cast<T*>(args.qkv), args.cosine, args.sine, args.pairing, args.rows,
                  args.time, rotated_heads, rotated_heads + args.key_value_heads, args.head_dim,
                  args.backward ? -1.0F : 1.0F);
}

}  // namespace

int rotate_qkv(const RotateQkv& args, Stream stream) {
    if (args.rows * (args.heads + 2 * args.key_value_heads) * args.head_dim > 0x7FFFFFFF || args.head_dim % 2 != 0) {
        return cudaErrorInvalidValue;
    }
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        constexpr int widest = 16 / sizeof(T);
        const std::int64_t pairs = args.head_dim / 2;
        const auto as_vectors = [&](auto n) {
            return pairs % n == 0 && fits<n>(static_cast<T*>(args.qkv)) && fits<n>(args.cosine) && fits<n>(args.sine);
        };
        if (as_vectors(std::integral_constant<int, widest>())) return rotate<T, widest>(args, stream);
        if (as_vectors(std::integral_constant<int, 4>())) return rotate<T, 4>(args, stream);
        return rotate<T, 1>(args, stream);
    });
}

}  // namespace ropelab::cuda
