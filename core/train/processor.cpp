#include "core/train/processor.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ropelab {

bool processor_multiplies_bfloat16() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16") != 0;
#elif defined(__aarch64__) && defined(__ARM_FEATURE_BF16)
    return true;
#else
    return false;
#endif
}

void avoid_broken_amx() {
#if defined(__x86_64__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned amx_tile = 1U << 24;
    const bool announced = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & amx_tile) != 0;
    // Leaf 0x1D gives the highest palette; without palette 1 there are no tiles to configure.
    const bool has_palette = __get_cpuid_count(0x1D, 0, &a, &b, &c, &d) != 0 && a >= 1;
    if (announced && !has_palette) setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
#endif
}

}  // namespace ropelab
