#include "core/spec/processor.h"

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

}  // namespace ropelab
