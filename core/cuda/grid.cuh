#pragma once

#include "core/cuda/device.cuh"

// Dynamic shared memory, and grids whose blocks are all alive at once and wait for each other.

namespace ropelab::cuda {

/// Dynamic shared memory that any launch may ask for.
constexpr std::size_t most_shared_bytes = 48 * 1024;

/// The block's dynamic shared memory; a place for vectors of 16 bytes.
__device__ __forceinline__ unsigned char* dynamic_memory() {
#ifdef __CUDACC__
    extern __shared__ __align__(16) unsigned char memory[];
    return memory;
#else
    return emulated::dynamic_memory();
#endif
}

/// Adds after all that this thread and those that it waited for have written; the number before.
__device__ __forceinline__ unsigned add_release(unsigned* at, unsigned by) {
#ifdef __CUDACC__
    unsigned before = 0;
#ifdef __CUDA_ARCH__
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(by) : "memory");
#endif
    return before;
#else
    return atomicAdd(at, by);
#endif
}
/// Reads before all that this thread, and those that wait for it, read afterwards.
__device__ __forceinline__ unsigned load_acquire(const unsigned* at) {
#ifdef __CUDACC__
    unsigned value = 0;
#ifdef __CUDA_ARCH__
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
#endif
    return value;
#else
    emulated::look_away();
    return *at;
#endif
}

/// Every thread of every block of a cooperative grid waits for all others and sees what they wrote. `arrived` (1) is 0
/// before the first launch and is fit for the next after each: all blocks together add 2³¹, so that the highest bit
/// turns when the last one comes and the others are 0 again.
__device__ __forceinline__ void wait_for_grid(unsigned* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        constexpr unsigned highest = 0x80000000U;
        const unsigned before = add_release(arrived, blockIdx.x == 0 ? highest - (gridDim.x - 1) : 1);
        while (((load_acquire(arrived) ^ before) & highest) == 0) {
        }
    }
    __syncthreads();
}

/// Starts a kernel with dynamic shared memory; `cooperative`: all its blocks at once, or not at all.
template <typename... Parameters, typename... Arguments>
int launch_sharing(void (*kernel)(Parameters...), unsigned blocks, int threads, std::size_t bytes, bool cooperative,
                   Stream stream, Arguments... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = cooperative;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = cooperative ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace ropelab::cuda
