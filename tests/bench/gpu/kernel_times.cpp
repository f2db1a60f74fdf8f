#include "tests/bench/gpu/kernel_times.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <set>

namespace ropelab {

std::map<std::string, KernelTime> kernel_times(const std::function<void()>& work) {
    namespace profiler = torch::autograd::profiler;
    using torch::profiler::impl::ActivityType;
    const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
    const std::set<ActivityType> activities = {ActivityType::CUDA};
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
    work();
    const auto result = profiler::disableProfiler();
    std::map<std::string, KernelTime> times;
    for (const auto& event : result->events()) {
        if (event.deviceType() != c10::DeviceType::CUDA) continue;
        KernelTime& one = times[event.name()];
        one.microseconds += 1e-3 * static_cast<double>(event.durationNs());
        ++one.starts;
    }
    return times;
}

}  // namespace ropelab
