#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>

// As much of CUDA as core/cuda's kernels use, on the CPU: one thread at a time, each running until it waits for the
// others of its warp, block or grid. What a kernel calculates, where it reads and writes, and whether it waits where it
// must is tested with it; speed and memory order are not.

#define __global__
#define __host__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
// For blocks that run one after another. Those of a cooperative grid are alive at once: they share dynamic memory
// alone.
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x;
    unsigned y;
    unsigned z;
    dim3(unsigned columns = 1, unsigned rows = 1, unsigned layers = 1) : x(columns), y(rows), z(layers) {}
};

using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorNotReady = 600 };
inline const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "invalid argument";
}

inline cudaError_t cudaGetLastError() {
    return cudaSuccess;
}

enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative };
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        int cooperative;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    std::size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
    cudaLaunchAttribute* attrs = nullptr;
    unsigned numAttrs = 0;
};

/// Where the running thread stands.
extern dim3 threadIdx;
extern dim3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace emulated {

/// Blocks that the device holds at once, 0: it starts no cooperative grids.
extern int resident_blocks;

/// Runs body() once for each thread of each block, a `cooperative` grid's blocks at once and others one after another.
/// Throws std::logic_error where threads wait for one that has left.
void run(dim3 grid, dim3 block, std::size_t shared_bytes, bool cooperative, const std::function<void()>& body);
/// The block's own, filled with NaNs when it starts.
unsigned char* dynamic_memory();
void wait_for_block();
/// Lets others go on: to be called in every turn of a loop that waits for what they write.
void look_away();
/// To be called where others may go on for what this thread wrote.
void note_progress();
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

inline unsigned exchange_from(unsigned value, unsigned lane) {
    std::uint64_t all[32];
    exchange(value, all);
    return static_cast<unsigned>(all[lane]);
}

/// What tensor cores do for a warp, as PTX deals the numbers out (mma.m16n8k16 of bfloat16, ldmatrix.m8n8.x4.b16).
void multiply_tile(float (&sums)[4], const std::uint32_t (&left)[4], std::uint32_t right0, std::uint32_t right1);
void load_matrices(const void* row, bool turned, std::uint32_t (&words)[4]);

inline unsigned ballot(bool mine) {
    std::uint64_t all[32];
    exchange(mine, all);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; ++lane) result |= static_cast<unsigned>(all[lane]) << lane;
    return result;
}

}  // namespace emulated

inline unsigned atomicAdd(unsigned* at, unsigned by) {
    emulated::note_progress();
    const unsigned before = *at;
    *at += by;
    return before;
}

#define __syncthreads emulated::wait_for_block
#define __syncwarp() static_cast<void>(emulated::ballot(true))
#define __shfl_xor_sync(mask, value, distance) emulated::exchange_xor(value, distance)
#define __shfl_sync(mask, value, lane) emulated::exchange_from(value, static_cast<unsigned>(lane))
#define __ballot_sync(mask, value) emulated::ballot(value)
#define __popc(x) __builtin_popcount(x)

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
    const bool cooperative = config->numAttrs > 0 && config->attrs->val.cooperative != 0;
    if (cooperative && config->gridDim.x > static_cast<unsigned>(emulated::resident_blocks)) {
        return cudaErrorInvalidValue;
    }
    emulated::run(config->gridDim, config->blockDim, config->dynamicSmemBytes, cooperative,
                  [&] { kernel(arguments...); });
    return cudaSuccess;
}

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrCooperativeLaunch };
inline cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount ? std::max(emulated::resident_blocks, 1)
                                                         : emulated::resident_blocks > 0;
    return cudaSuccess;
}
template <typename... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*)(Parameters...), int, std::size_t) {
    *blocks = 1;
    return cudaSuccess;
}

constexpr unsigned cudaHostAllocMapped = 2;
inline cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    *memory = std::calloc(bytes, 1);
    return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) {
    std::free(memory);
    return cudaSuccess;
}
inline cudaError_t cudaHostGetDevicePointer(void** pointer, void* memory, unsigned) {
    *pointer = memory;
    return cudaSuccess;
}
// A launch has done its work when it returns.
inline cudaError_t cudaStreamQuery(cudaStream_t) {
    return cudaSuccess;
}
