#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cuda/bfloat16.h"

// One set of tests for two devices: the processor, which runs the kernels thread by thread (emulated/cuda_runtime.h),
// and a GPU.

namespace ropelab::cuda {

/// Whether there is a device to run on; if not, why.
bool device_is_here(const char** why);
void* device_allocate(std::size_t bytes);
void device_free(void* memory);
/// Either side may be the device's. Waits for the kernels before.
void device_copy(void* to, const void* from, std::size_t bytes);
/// The error that CUDA keeps of an earlier call, 0 for none; the call clears it.
int last_device_error();

/// An array in the device's memory, filled from one of the host's.
template <typename T>
class OnDevice {
 public:
    explicit OnDevice(const std::vector<T>& values)
        : size_(values.size()), memory_(static_cast<T*>(device_allocate(size_ * sizeof(T)))) {
        device_copy(memory_, values.data(), size_ * sizeof(T));
    }
    explicit OnDevice(std::size_t size, T value = T()) : OnDevice(std::vector<T>(size, value)) {}
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() { device_free(memory_); }

    T* data() const { return memory_; }
    std::vector<T> host() const {
        std::vector<T> values(size_);
        device_copy(values.data(), memory_, size_ * sizeof(T));
        return values;
    }

 private:
    std::size_t size_;
    T* memory_;
};

/// Numbers between −1 and 1 without pattern, the same for the same seed.
std::vector<float> some_numbers(std::size_t count, std::uint32_t seed);
std::vector<Bfloat16> rounded(const std::vector<float>& values);
std::vector<float> widened(const std::vector<Bfloat16>& values);
/// For code that is written once for both types.
inline std::vector<float> widened(const std::vector<float>& values) {
    return values;
}

}  // namespace ropelab::cuda

// Tests of kernels are named by the device they ran on.
#ifdef ROPELAB_ON_GPU
#define KERNEL_SUITE(suite) Gpu##suite
#else
#define KERNEL_SUITE(suite) Emulated##suite
#endif
#define KERNEL_TEST(suite, name) KERNEL_TEST_NAMED(KERNEL_SUITE(suite), name)
#define KERNEL_TEST_NAMED(suite, name) TEST(suite, name)

#define SKIP_WITHOUT_DEVICE()                                  \
    if (const char* why = nullptr; !device_is_here(&why)) {    \
        GTEST_SKIP() << "These kernels were not run: " << why; \
    }                                                          \
    static_assert(true)
