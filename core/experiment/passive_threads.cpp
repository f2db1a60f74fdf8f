#include "core/experiment/passive_threads.h"

#include <unistd.h>

#include <cstdlib>

namespace ropelab {

void wait_passively(char** arguments) {
    if (std::getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "PASSIVE", 0);
    execv("/proc/self/exe", arguments);
    // Where that is not possible the program goes on as it is: slower beside a window, but right.
}

}  // namespace ropelab
