#include "core/base/processor.h"

#include <fstream>

namespace ropelab {

const std::string& processor_name() {
    static const std::string name = [] {
        std::ifstream stream("/proc/cpuinfo");
        for (std::string line; std::getline(stream, line);) {
            if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
                return line.substr(line.find(": ") + 2);
            }
        }
        return std::string("unknown");
    }();
    return name;
}

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
