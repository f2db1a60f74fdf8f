#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Sizes of the caches of generation for one sequence of `context` tokens, in bytes, as float32 numbers.
struct CacheBytes {
    std::int64_t kv = 0;    // formula 32; 0 with operations=eager, which generates without a KV cache
    std::int64_t rope = 0;  // formula 31, each angle once, one table; 0 without RoPE or with rope_cache=false
    /// Returns the bytes of both caches.
    std::int64_t total() const { return kv + rope; }
};
/// Returns the sizes of the caches of a run's model at its context. A sliding window limits the tokens of the KV cache.
CacheBytes cache_bytes(const RunSpec& spec);

}  // namespace ropelab
