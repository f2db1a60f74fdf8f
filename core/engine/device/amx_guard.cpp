#include "core/engine/device/amx_guard.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ropelab {

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

}  // namespace ropelab
