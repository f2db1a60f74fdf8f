#include "core/bench/machine.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

namespace ropelab::bench {

Machine this_machine() {
    Machine result;
    result.processor = "unknown";
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
            result.processor = line.substr(line.find(": ") + 2);
            break;
        }
    }
    result.cores = static_cast<int>(std::thread::hardware_concurrency());
    result.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
    return result;
}

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[sizeof "2026-03-01"];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

}  // namespace ropelab::bench
