#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

// An emulation on the CPU of the part of CUDA that the kernels in core/cuda use. It runs one thread at a time until
// that thread waits for the others of its warp or block; blocks run sequentially. It tests the results, the memory
// accesses and the synchronization of a kernel, but not its speed or its memory order.

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
/// The error of the last failed launch, until cudaGetLastError returns it.
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

/// Indices and sizes of the running thread.
extern dim3 threadIdx;
extern dim3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace emulated {

/// Runs body() once for each thread of each block. Throws std::logic_error if threads wait for a thread that has
/// exited.
void run(dim3 grid, dim3 block, const std::function<void()>& body);
/// Waits for the other threads of the block (__syncthreads).
void wait_for_block();
/// Exchanges one number per lane: `all` receives the numbers of the 32 lanes of the warp.
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

/// Launches a kernel. Like a device, it fails for more than 1,024 threads per block or more than 65,535 blocks along y
/// or z.
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
