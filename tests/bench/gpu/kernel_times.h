#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ropelab {

/// Total time and number of launches of a kernel.
struct KernelTime {
    double microseconds = 0;
    std::int64_t starts = 0;
};
/// Returns the times of the kernels that ran on the device during `work`, by kernel name, including those in CUDA
/// graphs. The result is empty if LibTorch's profiler finds no device.
std::map<std::string, KernelTime> kernel_times(const std::function<void()>& work);

}  // namespace ropelab
