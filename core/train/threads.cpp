#include "core/train/threads.h"

#include <omp.h>

#include "core/model/parallel.h"

namespace ropelab {

std::int64_t use_threads(std::int64_t asked) {
    omp_set_dynamic(0);
    const int team = static_cast<int>(asked);
    int given = 1;
#pragma omp parallel num_threads(team)
#pragma omp single
    given = omp_get_num_threads();
    at::set_num_threads(given);
    return given;
}

}  // namespace ropelab
