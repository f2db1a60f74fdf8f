#include "core/spec/cache_bytes.h"

#include "core/rope/frequencies.h"
#include "core/rope/memory.h"

namespace ropelab {

CacheBytes cache_bytes(const RunSpec& spec) {
    constexpr int bytes_per_number = 4;
    CacheBytes result;
    if (spec.operations != Operations::eager) {
        CacheShape shape;
        shape.layers = spec.layers;
        shape.heads = spec.heads;
        shape.kv_heads = spec.kv_heads();
        shape.head_dim = spec.head_dim();
        result.kv = kv_cache_bytes(shape, KvCache::grouped, spec.visible_tokens(), bytes_per_number);
    }
    if (spec.rotates() && spec.rope_cache) {
        result.rope = rope_cache_bytes(rotary_dim(spec.head_dim(), spec.fraction), spec.context, bytes_per_number,
                                       TableLayout::single);
    }
    return result;
}

}  // namespace ropelab
