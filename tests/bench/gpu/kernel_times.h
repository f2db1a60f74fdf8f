#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ropelab {

struct KernelTime {
    double microseconds = 0;
    std::int64_t starts = 0;
};
/// What the device did during `work`, kernels of graphs included, by the kernels' names. Empty where LibTorch's
/// profiler sees no device.
std::map<std::string, KernelTime> kernel_times(const std::function<void()>& work);

}  // namespace ropelab
