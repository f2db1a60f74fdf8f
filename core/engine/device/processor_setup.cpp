#include "core/engine/device/processor_setup.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include <cmath>
#include <cstdlib>

#include "core/base/numbers.h"
#include "core/base/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ropelab {

namespace {

// Cohorts of one sweep decide separately, and chance must not decide between nearly equal speeds.
constexpr double least_speedup = 1.2;

std::string times(double factor) {
    return number_text(std::round(100.0 * factor) / 100.0);
}

}  // namespace

std::int64_t use_threads(std::int64_t requested) {
    omp_set_dynamic(0);
    const int team = static_cast<int>(requested);
    int available = 1;
#pragma omp parallel num_threads(team)
#pragma omp single
    available = omp_get_num_threads();
    at::set_num_threads(available);
    return available;
}

void avoid_broken_amx() {
#if defined(__x86_64__)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned features = 0;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &features) == 0) return;
    unsigned tiles = 0;
    unsigned edx = 0;
    if (__get_cpuid_count(0x1D, 1, &tiles, &ebx, &ecx, &edx) == 0) tiles = 0;
    if (!is_amx_broken(features, tiles) || std::getenv("DNNL_MAX_CPU_ISA")) return;
    constexpr int keep_what_is_set = 0;
    setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", keep_what_is_set);
#endif
}

std::string bfloat16_obstacle() {
    return processor_multiplies_bfloat16() ? "" : "this processor cannot multiply matrices in bfloat16.";
}

SettledPrecision faster_precision(const std::string& obstacle, const std::function<double(Precision)>& seconds) {
    if (!obstacle.empty()) return {Precision::float32, obstacle};
    const double ratio = seconds(Precision::float32) / seconds(Precision::bfloat16);
    if (ratio >= least_speedup) return {Precision::bfloat16, times(ratio) + " × as fast as float32 on this machine."};
    if (ratio > 1.0)
        return {Precision::float32, "bfloat16 is only " + times(ratio) + " × as fast as float32 on this machine."};
    return {Precision::float32, times(1.0 / ratio) + " × as fast as bfloat16 on this machine."};
}

}  // namespace ropelab
