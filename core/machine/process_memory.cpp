#include "core/machine/process_memory.h"

#include <fstream>
#include <sstream>
#include <string>

namespace ropelab {

ProcessMemory process_memory() {
    ProcessMemory result;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kibibytes = 0;
        words >> name >> kibibytes;
        if (name == "VmRSS:") result.now = 1024 * kibibytes;
        if (name == "VmHWM:") result.peak = 1024 * kibibytes;
    }
    return result;
}

void reset_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
}

}  // namespace ropelab
