#pragma once

#include <cstdint>

namespace ropelab {

/// Returns `requested`, or the smaller number that OpenMP allows (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS). oneDNN
/// gives incomplete results if it gets fewer threads than LibTorch announces. Call this on the thread that will
/// compute, because it also prevents OpenMP from reducing the number on that thread (OMP_DYNAMIC).
std::int64_t use_threads(std::int64_t requested);

}  // namespace ropelab
