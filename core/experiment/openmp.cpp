#include "core/experiment/openmp.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ropelab {

bool settle_openmp() {
    bool any = false;
    if (!std::getenv("OMP_WAIT_POLICY") && !std::getenv("GOMP_SPINCOUNT")) {
        // Longer than the time between two passes of a small model's step, which waking a thread would lengthen by a
        // half; shorter than a window's frame.
        setenv("GOMP_SPINCOUNT", "10000", 0);
        any = true;
    }
    constexpr const char* fewer = "OMP_DYNAMIC";
    if (const char* set = std::getenv(fewer); set && std::string_view(set) != "false") {
        setenv(fewer, "false", 1);
        any = true;
    }
    return any;
}

void restart_with_settled_openmp(char** arguments) {
    if (settle_openmp()) execv("/proc/self/exe", arguments);
    // Where that is not possible the program goes on as it is: slower beside a window, and right where OMP_DYNAMIC is
    // not set.
}

}  // namespace ropelab
