#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/cuda_kernels.h"

// What the kernels share. Blocks are of whole warps and no thread leaves before its warp's sums are made.

namespace ropelab::cuda {

constexpr int warp_size = 32;
constexpr int block_size = 256;
constexpr int block_warps = block_size / warp_size;
constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// N numbers that are read and written at once; their place is a multiple of their size.
template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
    T v[N];
};
template <int N, typename T>
__device__ __forceinline__ Vector<T, N> load(const T* from) {
    return *reinterpret_cast<const Vector<T, N>*>(from);
}
template <int N, typename T>
__device__ __forceinline__ void store(T* to, const Vector<T, N>& value) {
    *reinterpret_cast<Vector<T, N>*>(to) = value;
}
/// Whether arrays of T at `pointer` may be read as vectors of N.
template <int N, typename T>
bool fits(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % (sizeof(T) * N) == 0;
}

/// Sum and largest over a warp, the same in every lane.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(all_lanes, value, distance);
    }
    return value;
}
__device__ __forceinline__ float warp_largest(float value) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
}
/// Sum over a block of block_size threads, in thread 0 of it. `parts` is the block's shared memory.
template <typename T>
__device__ __forceinline__ T block_sum(T value, T (&parts)[block_warps]) {
    value = warp_sum(value);
    if (threadIdx.x % warp_size == 0) parts[threadIdx.x / warp_size] = value;
    __syncthreads();
    T total = 0;
    if (threadIdx.x == 0) {
        for (int warp = 0; warp < block_warps; ++warp) total += parts[warp];
    }
    return total;
}

/// A row's numbers in groups of four, as its random numbers come. A group may begin before the row and end after it,
/// unless rows are whole groups.
struct Groups {
    std::int64_t start;  // the row's first number
    std::int64_t first;  // group
    std::int64_t last;   // past the last group

    __device__ __forceinline__ Groups(std::int64_t row, std::int64_t columns, std::int64_t seen)
        : start(row * columns), first(start / 4), last((start + seen + 3) / 4) {}
    /// The column of the group's first number; may be negative.
    __device__ __forceinline__ std::int64_t column(std::int64_t group) const { return 4 * group - start; }
};

/// Four numbers of a row from column c as float32, `other` outside of 0 … count − 1.
template <bool whole, typename T>
__device__ __forceinline__ void load_four(const T* row, std::int64_t c, std::int64_t count, float other,
                                          float (&x)[4]) {
    if (whole) {
        const Vector<T, 4> four = load<4>(row + c);
        for (int i = 0; i < 4; ++i) x[i] = c + i < count ? to_float(four.v[i]) : other;
    } else {
        for (int i = 0; i < 4; ++i) x[i] = c + i >= 0 && c + i < count ? to_float(row[c + i]) : other;
    }
}
/// Writes them to columns below `count`.
template <bool whole, typename T>
__device__ __forceinline__ void store_four(T* row, std::int64_t c, std::int64_t count, const float (&x)[4]) {
    if (whole) {
        Vector<T, 4> four;
        for (int i = 0; i < 4; ++i) four.v[i] = from_float<T>(x[i]);
        store<4>(row + c, four);
    } else {
        for (int i = 0; i < 4; ++i) {
            if (c + i >= 0 && c + i < count) row[c + i] = from_float<T>(x[i]);
        }
    }
}

/// A run's dropout within a kernel.
struct Dropper {
    bool drops;
    StreamKey key;
    std::uint64_t step;
    DropoutRate rate;

    /// 1 each where nothing is dropped.
    __device__ __forceinline__ FourFactors factors(std::uint64_t group) const {
        return drops ? dropout_factors(key, step, group, rate) : FourFactors{{1, 1, 1, 1}};
    }
    __device__ __forceinline__ void multiply(std::uint64_t group, float (&x)[4]) const {
        if (!drops) return;
        const FourFactors its = factors(group);
        for (int i = 0; i < 4; ++i) x[i] *= its.f[i];
    }
};
struct DropoutArguments {
    const StreamKey* keys;
    const std::int64_t* step;
    DropoutRate rate;

    explicit DropoutArguments(const DropoutNumbers& numbers)
        : keys(numbers.rate > 0 ? numbers.keys : nullptr), step(numbers.step), rate(dropout_rate(numbers.rate)) {}
    __device__ __forceinline__ Dropper of(std::int64_t run) const {
        if (!keys) return {false, {0, 0}, 0, rate};
        return {true, keys[run], static_cast<std::uint64_t>(*step), rate};
    }
};

inline unsigned blocks_for(std::int64_t items, std::int64_t per_block) {
    return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// Starts a kernel; the error of the launch, if any.
template <typename... Parameters, typename... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, int threads, Stream stream, Arguments... arguments) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaSuccess;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    // CUDA keeps the error of a refused launch, and the next call that checks for errors would report it again.
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
    return error;
}

/// f(T()) for the type of data.
template <typename F>
int for_type(Type type, F f) {
    return type == Type::float32 ? f(float()) : f(Bfloat16());
}

}  // namespace ropelab::cuda
