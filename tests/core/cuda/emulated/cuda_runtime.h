#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

// As much of CUDA as core/cuda's kernels use, on the CPU: one thread at a time, each running until it waits for the
// others of its warp or block; blocks run one after another. What a kernel computes, where it reads and writes, and
// whether it waits where it must is tested with it; speed and memory order are not.

#define __global__
#define __host__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x;
    unsigned y;
    unsigned z;
    dim3(unsigned columns = 1, unsigned rows = 1, unsigned layers = 1) : x(columns), y(rows), z(layers) {}
};

using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
inline const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "invalid argument";
}

namespace emulated {
/// The error of the last refused launch, until cudaGetLastError returns it.
inline cudaError_t last_error = cudaSuccess;
}  // namespace emulated
inline cudaError_t cudaGetLastError() {
    return std::exchange(emulated::last_error, cudaSuccess);
}

struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    cudaStream_t stream = nullptr;
};

/// Where the running thread stands.
extern dim3 threadIdx;
extern dim3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace emulated {

/// Runs body() once for each thread of each block. Throws std::logic_error where threads wait for one that has left.
void run(dim3 grid, dim3 block, const std::function<void()>& body);
void wait_for_block();
/// Every lane of the warp gives a number; `all` then holds those of the 32 lanes until the next call.
void exchange(std::uint64_t mine, std::uint64_t (&all)[32]);

template <typename T>
T exchange_xor(T value, int distance) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t mine = 0;
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value, reinterpret_cast<char*>(&mine));
    std::uint64_t all[32];
    exchange(mine, all);
    T result;
    const std::uint64_t other = all[(threadIdx.x % 32) ^ static_cast<unsigned>(distance)];
    std::copy_n(reinterpret_cast<const char*>(&other), sizeof result, reinterpret_cast<char*>(&result));
    return result;
}

inline unsigned ballot(bool mine) {
    std::uint64_t all[32];
    exchange(mine, all);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; ++lane) result |= static_cast<unsigned>(all[lane]) << lane;
    return result;
}

}  // namespace emulated

#define __syncthreads emulated::wait_for_block
#define __shfl_xor_sync(mask, value, distance) emulated::exchange_xor(value, distance)
#define __ballot_sync(mask, value) emulated::ballot(value)
#define __popc(x) __builtin_popcount(x)

/// Refuses what a device refuses: more than 1,024 threads per block, or more than 65,535 blocks along y or z.
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
    constexpr unsigned most_threads = 1024;
    constexpr unsigned most_blocks = 65535;
    if (config->blockDim.x > most_threads || config->gridDim.y > most_blocks || config->gridDim.z > most_blocks) {
        return emulated::last_error = cudaErrorInvalidValue;
    }
    emulated::run(config->gridDim, config->blockDim, [&] { kernel(arguments...); });
    return cudaSuccess;
}
