#include "core/bench/machine.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "core/spec/processor.h"

namespace ropelab::bench {

Machine this_machine() {
    Machine result;
    result.processor = processor_name();
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
