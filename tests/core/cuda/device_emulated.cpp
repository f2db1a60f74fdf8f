#include <cstdlib>
#include <cstring>

#include "tests/core/cuda/device_memory.h"
#include "tests/core/cuda/emulated/cuda_runtime.h"

namespace ropelab::cuda {

bool device_is_here(const char** why) {
#ifdef __SANITIZE_THREAD__
    *why = "the thread sanitizer does not follow threads that are emulated.";
    return false;
#else
    *why = nullptr;
    return true;
#endif
}

void* device_allocate(std::size_t bytes) {
    constexpr std::size_t alignment = 256;  // the alignment of CUDA's allocations
    return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void device_free(void* memory) {
    std::free(memory);
}

void device_copy(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

int last_device_error() {
    return cudaGetLastError();
}

}  // namespace ropelab::cuda
