#include "core/experiment/thread_waiting.h"

#include <unistd.h>

#include <cstdlib>

namespace ropelab {

bool wait_briefly() {
    if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return false;
    // Longer than the time between two passes of a small model's step, which waking a thread would lengthen by a half;
    // shorter than a window's frame.
    setenv("GOMP_SPINCOUNT", "10000", 0);
    return true;
}

void restart_to_wait_briefly(char** arguments) {
    if (wait_briefly()) execv("/proc/self/exe", arguments);
    // Where that is not possible the program goes on as it is: slower beside a window, but right.
}

}  // namespace ropelab
