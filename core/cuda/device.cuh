#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/cuda/cuda_kernels.h"

// Device functions that the kernels share. Blocks consist of whole warps, and no thread may exit before the sums over
// its warp are complete.

namespace ropelab::cuda {

constexpr int warp_size = 32;
constexpr int block_size = 256;
constexpr int block_warps = block_size / warp_size;
constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// N numbers that are loaded and stored with one instruction. Their address must be a multiple of their size.
template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
    T v[N];
};
/// Loads a vector of N elements. `from` must be aligned to the size of the vector.
template <int N, typename T>
__device__ __forceinline__ Vector<T, N> load(const T* from) {
    return *reinterpret_cast<const Vector<T, N>*>(from);
}
/// Stores a vector of N elements. `to` must be aligned to the size of the vector.
template <int N, typename T>
__device__ __forceinline__ void store(T* to, const Vector<T, N>& value) {
    *reinterpret_cast<Vector<T, N>*>(to) = value;
}
/// Returns true if the alignment of `pointer` permits loading vectors of N elements.
template <int N, typename T>
bool fits(const T* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % (sizeof(T) * N) == 0;
}

/// Returns the sum over a warp, in every lane.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(all_lanes, value, distance);
    }
    return value;
}
/// Returns the maximum over a warp, in every lane.
__device__ __forceinline__ float warp_largest(float value) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(all_lanes, value, distance));
    }
    return value;
}
/// Returns the sum over a block of block_size threads, in thread 0 only. `parts` is in shared memory.
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

/// Splits a row into groups of four elements, because random numbers are generated in groups of four. The groups are
/// aligned to the array, so the first one can begin before the row and the last one can end after it, unless the row
/// length is a multiple of four.
struct Groups {
    std::int64_t start;  // index of the row's first element in the array
    std::int64_t first;  // index of the first group
    std::int64_t last;   // index after the last group

    __device__ __forceinline__ Groups(std::int64_t row, std::int64_t columns, std::int64_t seen)
        : start(row * columns), first(start / 4), last((start + seen + 3) / 4) {}
    /// Returns the column of the group's first element, which may be negative.
    __device__ __forceinline__ std::int64_t column(std::int64_t group) const { return 4 * group - start; }
};

/// Loads four elements of a row from column c on as float32. Columns outside 0 … count − 1 are set to `other`.
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
/// Stores four elements of a row from column c on, omitting columns outside 0 … count − 1.
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

/// Dropout of one run within a kernel.
struct Dropper {
    bool drops;
    StreamKey key;
    std::uint64_t step;
    DropoutRate rate;
    std::uint64_t first_group;

    /// Returns the dropout factors of a group, which are all 1 without dropout.
    __device__ __forceinline__ FourFactors factors(std::uint64_t group) const {
        return drops ? dropout_factors(key, step, first_group + group, rate) : FourFactors{{1, 1, 1, 1}};
    }
    /// Multiplies the four elements of a group by their dropout factors.
    __device__ __forceinline__ void multiply(std::uint64_t group, float (&x)[4]) const {
        if (!drops) return;
        const FourFactors four = factors(group);
        for (int i = 0; i < 4; ++i) x[i] *= four.f[i];
    }
};
/// DropoutNumbers in the form of a kernel argument.
struct DropoutArguments {
    const StreamKey* keys;
    const std::int64_t* step;
    DropoutRate rate;
    std::uint64_t first_group;

    explicit DropoutArguments(const DropoutNumbers& numbers)
        : keys(numbers.rate > 0 ? numbers.keys : nullptr),
          step(numbers.step),
          rate(dropout_rate(numbers.rate)),
          first_group(static_cast<std::uint64_t>(numbers.first_group)) {}
    /// Returns the dropout of one run.
    __device__ __forceinline__ Dropper for_run(std::int64_t run) const {
        if (!keys) return {false, {0, 0}, 0, rate, 0};
        return {true, keys[run], static_cast<std::uint64_t>(*step), rate, first_group};
    }
};

/// Returns the number of blocks for `items` items if each block processes `per_block` items.
inline unsigned blocks_for(std::int64_t items, std::int64_t per_block) {
    return static_cast<unsigned>((items + per_block - 1) / per_block);
}

/// Launches a kernel and returns the error of the launch, or cudaSuccess.
template <typename... Parameters, typename... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, int threads, Stream stream, Arguments... arguments) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaSuccess;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    // CUDA stores the error of a failed launch, and the next call that checks for errors would report it again.
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
    return error;
}

/// Calls f(T()) for the C++ type T that `type` denotes.
template <typename F>
int for_type(Type type, F f) {
    return type == Type::float32 ? f(float()) : f(Bfloat16());
}

}  // namespace ropelab::cuda
