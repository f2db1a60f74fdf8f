#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {

namespace {

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error) + ".");
}

}  // namespace

bool device_is_here(const char** why) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    *why = error == cudaSuccess ? "there is no CUDA device." : cudaGetErrorString(error);
    return error == cudaSuccess && count > 0;
}

void* device_allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
    return memory;
}

void device_free(void* memory) {
    cudaFree(memory);
}

void device_copy(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

int last_device_error() {
    return cudaGetLastError();
}

}  // namespace ropelab::cuda
