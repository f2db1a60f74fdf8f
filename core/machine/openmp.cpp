#include "core/machine/openmp.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ropelab {

bool configure_openmp() {
    bool any = false;
    if (!std::getenv("OMP_WAIT_POLICY") && !std::getenv("GOMP_SPINCOUNT")) {
        // Threads spin longer than the gap between two parallel regions of a small model's step, because waking a
        // thread would make the step 1.5 times as long; and shorter than a frame of the window.
        setenv("GOMP_SPINCOUNT", "10000", 0);
        any = true;
    }
    constexpr const char* dynamic_threads = "OMP_DYNAMIC";
    if (const char* set = std::getenv(dynamic_threads); set && std::string_view(set) != "false") {
        setenv(dynamic_threads, "false", 1);
        any = true;
    }
    return any;
}

void restart_with_configured_openmp(char** arguments) {
    if (configure_openmp()) execv("/proc/self/exe", arguments);
    // If exec fails, the program is slower while the window draws, and correct unless OMP_DYNAMIC is set.
}

}  // namespace ropelab
