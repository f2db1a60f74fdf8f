#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// N pairs a thread; 32-bit indices within a run. A row has `heads` heads, of which the first `turning` turn.
template <typename T, int N>
__global__ void __launch_bounds__(block_size)
    rotate_kernel(T* qkv, const float* cosine, const float* sine, Pairing pairing, unsigned rows, unsigned time,
                  unsigned turning, unsigned heads, unsigned head_dim, float direction) {
    const unsigned pairs = head_dim / 2;
    const unsigned pieces = pairs / N;
    const unsigned item = blockIdx.x * block_size + threadIdx.x;
    if (item >= rows * turning * pieces) return;
    const unsigned piece = item % pieces;
    const unsigned head = item / pieces % turning;  // of q and k, which stand side by side
    const unsigned row = item / pieces / turning;
    const std::int64_t run = blockIdx.y;

    T* numbers = qkv + ((run * rows + row) * heads + head) * head_dim;
    const std::int64_t at = (run * time + row % time) * pairs + piece * N;
    const auto c = load<N>(cosine + at);
    const auto s = load<N>(sine + at);
    // With halves N numbers and their N partners, interleaved 2·N numbers in a row.
    T* first = numbers + first_channel(pairing, piece * N);
    T* second = pairing == Pairing::half ? first + pairs : first + N;
    auto x = load<N>(first);
    auto y = load<N>(second);
    const auto turn = [&](T& a, T& b, int i) {
        const Pair turned = rotate_pair({to_float(a), to_float(b)}, c.v[i], s.v[i], direction);
        a = from_float<T>(turned.a);
        b = from_float<T>(turned.b);
    };
    if (pairing == Pairing::half) {
#pragma unroll
        for (int i = 0; i < N; ++i) turn(x.v[i], y.v[i], i);
    } else if constexpr (N == 1) {
        turn(x.v[0], y.v[0], 0);
    } else {
#pragma unroll
        for (int i = 0; i < N / 2; ++i) {
            turn(x.v[2 * i], x.v[2 * i + 1], i);
            turn(y.v[2 * i], y.v[2 * i + 1], N / 2 + i);
        }
    }
    store<N>(first, x);
    store<N>(second, y);
}

template <typename T, int N>
int rotate(const RotateQkv& args, Stream stream) {
    const std::int64_t turned = args.heads + args.key_value_heads;
    const std::int64_t items = args.rows * turned * (args.head_dim / 2 / N);
    return launch(&rotate_kernel<T, N>, dim3(blocks_for(items, block_size), static_cast<unsigned>(args.runs)),
                  block_size, stream, static_cast<T*>(args.qkv), args.cosine, args.sine, args.pairing, args.rows,
                  args.time, turned, turned + args.key_value_heads, args.head_dim, args.backward ? -1.0F : 1.0F);
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
