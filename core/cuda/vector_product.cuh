#pragma once

#include "core/cuda/grid.cuh"

// Products of a matrix with one vector, for single kernels (generation.cu) and within one that goes on
// (text_writer.cu).

namespace ropelab::cuda {

/// The numbers that attention left in parts.
struct JoinedVector {
    AttendedParts attended;
    int parts;  // that have entries
    __device__ __forceinline__ JoinedVector(const AttendedParts& all, int seen) : attended(all) {
        const int entries = static_cast<int>(all.entries);
        parts = (seen + entries - 1) / entries;
    }
    __device__ __forceinline__ float operator()(int c) const {
        const int n = static_cast<int>(attended.head_dim);
        const float* part = attended.numbers + c / n * static_cast<int>(attended.parts) * (n + 2);
        // All are on their way before the first is looked at.
        float tops[most_parts];
        float sums[most_parts];
        float numbers[most_parts];
#pragma unroll
        for (int p = 0; p < most_parts; ++p, part += n + 2) {
            tops[p] = p < parts ? part[n] : -INFINITY;
            sums[p] = p < parts ? part[n + 1] : 0.0F;
            numbers[p] = p < parts ? part[c % n] : 0.0F;
        }
        float top = -INFINITY;
#pragma unroll
        for (int p = 0; p < most_parts; ++p) top = fmaxf(top, tops[p]);
        float mixed = 0;
        float total = 0;
#pragma unroll
        for (int p = 0; p < most_parts; ++p) {
            if (p >= parts) continue;
            const float share = exponential(tops[p] - top);
            total = fmaf(sums[p], share, total);
            mixed = fmaf(numbers[p], share, mixed);
        }
        return mixed / total;
    }
};

/// How many numbers of a product's matrix are loaded at once: 16 bytes, kept as they are until they are multiplied.
template <typename T>
constexpr int at_once = 16 / static_cast<int>(sizeof(T));
struct alignas(16) Sixteen {
    std::uint32_t bits[4];
};
__device__ __forceinline__ float float_of(std::uint32_t bits) {
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}
__device__ __forceinline__ void widen(const Sixteen& raw, float (&x)[4]) {
    for (int i = 0; i < 4; ++i) x[i] = float_of(raw.bits[i]);
}
__device__ __forceinline__ void widen(const Sixteen& raw, float (&x)[8]) {  // bfloat16, the lower half first
    for (int i = 0; i < 4; ++i) {
        x[2 * i] = float_of(raw.bits[i] << 16);
        x[2 * i + 1] = float_of(raw.bits[i] & 0xFFFF0000U);
    }
}
template <typename T>
__device__ __forceinline__ Sixteen load_raw(const T* from) {
#ifdef __CUDA_ARCH__
    return *reinterpret_cast<const Sixteen*>(from);
#else
    Sixteen raw;
    std::memcpy(&raw, from, sizeof raw);
    return raw;
#endif
}
/// N numbers of a row of n from column c on, 0 past the end.
template <bool whole, typename T, int N>
__device__ __forceinline__ void load_numbers(const T* row, int c, int n, float (&x)[N]) {
    if (whole) {
        widen(load_raw(row + c), x);
    } else {
        for (int i = 0; i < N; ++i) x[i] = c + i < n ? to_float(row[c + i]) : 0.0F;
    }
}

/// x = from, by the whole block: numbers that are only copied, four a thread, and those that are calculated.
template <bool whole>
__device__ __forceinline__ void copy_vector(const float* from, float* x, int n) {
#pragma unroll 1
    for (int c = 4 * threadIdx.x; c < n; c += 4 * blockDim.x) {
        float four[4];
        load_numbers<whole>(from, c, n, four);
        store_four<whole>(x, c, n, four);
    }
}
template <typename Vector>
__device__ __forceinline__ void calculate_vector(const Vector& vector, float* x, int n) {
#pragma unroll 1
    for (int c = threadIdx.x; c < n; c += blockDim.x) x[c] = vector(c);
}

/// A warp's share of a product: the rows from `warp` on in steps of `warps`. The whole block calls it; `shared` has
/// room for product_floats numbers, `fill(x, n)` writes the vector there. `whole`: rows and vectors begin at multiples
/// of 16 bytes. A row's first numbers are on their way before the block waits for the vector.
template <typename T, bool whole, typename Fill>
__device__ __forceinline__ void multiply(const VectorProduct& args, const Fill& fill, float* shared, int warp,
                                         int warps) {
    constexpr int N = at_once<T>;
    constexpr int step = N * warp_size;
    constexpr int held = whole ? 6 : 0;  // steps: a row of 1536 bfloat16, 768 float32
    constexpr int gate_held = held / 2;
    const int lane = threadIdx.x % warp_size;
    const int n = static_cast<int>(args.columns);
    const int rows = static_cast<int>(args.rows);
    const T* matrix = static_cast<const T*>(args.matrix);
    const bool gated = args.activation == Activation::swiglu;

    Sixteen first[held + 1] = {};
    Sixteen second[gate_held + 1] = {};
    float bias = 0;
    float other_bias = 0;
    float before = 0;
    const auto fetch = [&](int row) {
        const T* weights = matrix + static_cast<std::int64_t>(row) * n;
#pragma unroll
        for (int i = 0; i < held; ++i) {
            const int c = i * step + N * lane;
            if (c < n) first[i] = load_raw(weights + c);
        }
        if (lane > 0) return;
        if (args.bias) bias = args.bias[row];
        if (args.bias && gated) other_bias = args.bias[rows + row];
        if (args.adds) before = args.y[row];
    };
    // A norm's arithmetic is time enough, and this leaves registers to the vector.
    const auto fetch_gate = [&](int row) {
        const T* weights = matrix + (args.rows + row) * n;
#pragma unroll
        for (int i = 0; i < gate_held; ++i) {
            const int c = i * step + N * lane;
            if (c < n) second[i] = load_raw(weights + c);
        }
    };
    if (warp < rows) fetch(warp);

    float norm_weight[4] = {};
    float norm_bias[4] = {};
    const auto fetch_norm = [&](int c) {
        load_numbers<whole>(args.norm_weight, c, n, norm_weight);
        if (args.norm_bias) load_numbers<whole>(args.norm_bias, c, n, norm_bias);
    };
    const int own = 4 * static_cast<int>(threadIdx.x);
    if (args.norm_weight && own < n) fetch_norm(own);

    float* x = shared;
    __syncthreads();  // others may still read the vector before
    fill(x, n);
    __syncthreads();
    if (gated && warp < rows) fetch_gate(warp);
    if (args.norm_weight) {
        // Every warp for itself.
        float mean = 0;
        if (args.centred) {
            float total = 0;
            for (int c = lane; c < n; c += warp_size) total += x[c];
            mean = warp_sum(total) / static_cast<float>(n);
        }
        float squares = 0;
        for (int c = lane; c < n; c += warp_size) squares = fmaf(x[c] - mean, x[c] - mean, squares);
        const float inverse =
            inverse_deviation(warp_sum(squares), static_cast<float>(n), args.centred ? norm_epsilon : rms_epsilon);
        float* normed = shared + n;
#pragma unroll 1
        for (int c = own; c < n; c += 4 * static_cast<int>(blockDim.x)) {
            if (c > own) fetch_norm(c);
            float four[4];
            load_numbers<whole>(x, c, n, four);
            for (int i = 0; i < 4; ++i) {
                four[i] = fmaf(normal(four[i], mean, inverse), norm_weight[i], norm_bias[i]);
            }
            store_four<whole>(normed, c, n, four);
        }
        x = normed;
        __syncthreads();
    }
#pragma unroll 1
    for (int row = warp; row < rows; row += warps) {
        float total = 0;
        float other_total = 0;
        const auto add = [&](int c, const float(&a)[N], const float(&b)[N]) {
            float numbers[N];
#pragma unroll
            for (int i = 0; i < N; i += 4) {
                float four[4];
                load_numbers<whole>(x, c + i, n, four);
                for (int j = 0; j < 4; ++j) numbers[i + j] = four[j];
            }
#pragma unroll
            for (int i = 0; i < N; ++i) {
                total = fmaf(a[i], numbers[i], total);
                if (gated) other_total = fmaf(b[i], numbers[i], other_total);
            }
        };
        float a[N];
        float b[N] = {};
        const T* weights = matrix + static_cast<std::int64_t>(row) * n;
#pragma unroll
        for (int i = 0; i < held; ++i) {
            const int c = i * step + N * lane;
            if (c >= n) continue;
            widen(first[i], a);
            if (i < gate_held) {
                widen(second[i], b);
            } else if (gated) {
                load_numbers<whole>(weights + args.rows * n, c, n, b);
            }
            add(c, a, b);
        }
#pragma unroll 1
        for (int c = held * step + N * lane; c < n; c += step) {
            load_numbers<whole>(weights, c, n, a);
            if (gated) load_numbers<whole>(weights + args.rows * n, c, n, b);
            add(c, a, b);
        }
        total = warp_sum(total);
        if (gated) other_total = warp_sum(other_total);
        if (lane == 0) {
            total += bias;
            if (args.activation == Activation::gelu) total = gelu(total);
            if (gated) total = silu(total) * (other_total + other_bias);
            args.y[row] = args.adds ? before + total : total;
        }
        if (row + warps >= rows) break;
        fetch(row + warps);
        if (gated) fetch_gate(row + warps);
    }
}

/// Numbers of shared memory that a product takes: its vector, and the normed one beside it.
inline std::int64_t product_floats(std::int64_t columns, bool norms) {
    return (norms ? 2 : 1) * columns;
}
template <typename T>
bool rows_are_whole(const void* matrix, std::int64_t columns) {
    return columns % at_once<T> == 0 && fits<at_once<T>>(static_cast<const T*>(matrix));
}

}  // namespace ropelab::cuda
