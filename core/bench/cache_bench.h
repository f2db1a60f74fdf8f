#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/cache_bytes.h"
#include "core/rope/context.h"
#include "core/spec/engine.h"

namespace ropelab::bench {

/// Bytes of the caches of a model that generated text, beside those of the formulas.
struct MeasuredCache {
    std::int64_t tokens = 0;  // generated tokens
    std::int64_t kv = 0;      // bytes that the KV cache occupied, counted by the cache; 0 without a KV cache
    CacheBytes formula;
};

/// Generates `tokens` tokens, at most the context, with a model of this specification and returns the bytes of its
/// caches. The KV cache allocates the slots of all tokens of the context with the first token, so a few tokens suffice.
/// Returns nullopt if `cancelled` returned true.
std::optional<MeasuredCache> measure_cache(Model& model, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled = {});
/// Measures a model with random weights. Throws BadInput if the settings contradict each other or the model needs more
/// memory than this machine has.
std::optional<MeasuredCache> measure_cache(Engine& engine, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled = {});

}  // namespace ropelab::bench
