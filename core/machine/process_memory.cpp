#include "core/machine/process_memory.h"

#include <fstream>
#include <sstream>
#include <string>

namespace ropelab {

namespace {

// Of a line "name: number kB"; 0 if there is none.
std::int64_t bytes_of_line(const char* file, const std::string& wanted) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kibibytes = 0;
        words >> name >> kibibytes;
        if (name == wanted) return 1024 * kibibytes;
    }
    return 0;
}

constexpr const char* own_status = "/proc/self/status";

}  // namespace

ProcessMemory process_memory() {
    return {.now = bytes_of_line(own_status, "VmRSS:"), .peak = bytes_of_line(own_status, "VmHWM:")};
}

std::int64_t available_memory() {
    return bytes_of_line("/proc/meminfo", "MemAvailable:");
}

void reset_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
}

}  // namespace ropelab
