#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cuda/bfloat16.h"

// The kernel tests run on two devices: the CPU, which emulates the kernels one thread at a time
// (emulated/cuda_runtime.h), and a GPU.

namespace ropelab::cuda {

/// Returns true if there is a device to run on. Otherwise `why` receives the reason.
bool device_is_here(const char** why);
void* device_allocate(std::size_t bytes);
void device_free(void* memory);
/// Copies memory between host and device in either direction, after all previous kernels have finished.
void device_copy(void* to, const void* from, std::size_t bytes);
/// Returns and clears the error of an earlier call that CUDA has stored; 0 if there is none.
int last_device_error();

/// An array in device memory, initialized with values of the host.
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

/// Returns random numbers between −1 and 1 that depend only on the seed.
std::vector<float> some_numbers(std::size_t count, std::uint32_t seed);
std::vector<Bfloat16> rounded(const std::vector<float>& values);
std::vector<float> widened(const std::vector<Bfloat16>& values);
/// Returns the numbers unchanged; for code that is generic over both data types.
inline std::vector<float> widened(const std::vector<float>& values) {
    return values;
}

}  // namespace ropelab::cuda

// The names of kernel test suites contain the device.
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
