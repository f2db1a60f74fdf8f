#pragma once

#include <cstdint>

#include "core/rope/memory.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// For one sequence of `context` tokens, in bytes, as float32 numbers.
struct CacheBytes {
    std::int64_t kv = 0;    // formulas 32, 44 and 46; 0 with operations=eager, which generates without a KV cache
    std::int64_t rope = 0;  // formula 31, each angle once, one table; 0 without RoPE or with rope_cache=false
    std::int64_t total() const { return kv + rope; }
};
/// A sliding window limits the stored tokens; the state of a gated DeltaNet does not depend on the context.
CacheBytes cache_bytes(const RunSpec& spec);

/// A KV cache in the form of published models (core/rope/memory.h).
struct ShapedCache {
    CacheShape shape;
    KvCache kind = KvCache::multi_head;
};
/// Throws BadInput for a model with gated DeltaNet layers, whose states have another form.
ShapedCache shaped_cache(const RunSpec& spec);

}  // namespace ropelab
