#pragma once

#include <cstdint>

namespace ropelab {

/// Has LibTorch calculate with so many threads, or with as many of them as OpenMP gives (OMP_THREAD_LIMIT,
/// OMP_MAX_ACTIVE_LEVELS); returns how many. oneDNN leaves work undone where it gets fewer than LibTorch has told it
/// of. To be called on the thread that will calculate: on that one OpenMP will not give fewer later on either
/// (OMP_DYNAMIC).
std::int64_t use_threads(std::int64_t asked);

}  // namespace ropelab
