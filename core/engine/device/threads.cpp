#include "core/engine/device/threads.h"

#include <omp.h>

#include "core/engine/device/parallel.h"

namespace ropelab {

std::int64_t use_threads(std::int64_t requested) {
    omp_set_dynamic(0);
    const int team = static_cast<int>(requested);
    int available = 1;
#pragma omp parallel num_threads(team)
#pragma omp single
    available = omp_get_num_threads();
    at::set_num_threads(available);
    return available;
}

}  // namespace ropelab
