#include "core/plan/cache_bytes.h"

#include <algorithm>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/rope/frequencies.h"
#include "core/rope/memory.h"
#include "core/spec/error.h"

namespace ropelab {

CacheBytes cache_bytes(const RunSpec& spec) {
    constexpr int bytes_per_number = 4;
    CacheBytes result;
    const ModelPlan plan = plan_of(spec, 1);
    for (const LayerPlan& layer : plan.layers) result.kv += layer.cache_bytes(plan.sizes, spec.context).value_or(0);
    if (spec.rotates() && spec.rope_cache) {
        result.rope = rope_cache_bytes(rotary_dim(spec.rotary_head_dim(), spec.fraction), spec.context,
                                       bytes_per_number, TableLayout::single);
    }
    return result;
}

ShapedCache shaped_cache(const RunSpec& spec) {
    if (spec.has_delta_net()) {
        throw BadInput(
            "This run has gated DeltaNet layers, which a rotary setup cannot represent; choose a run with attention in "
            "all layers.");
    }
    ShapedCache result;
    CacheShape& shape = result.shape;
    shape.layers = spec.layers;
    shape.heads = spec.heads;
    shape.kv_heads = spec.kv_heads();
    shape.head_dim = spec.head_dim();
    result.kind = spec.kv_heads() == spec.heads ? KvCache::multi_head
                  : spec.kv_heads() == 1        ? KvCache::multi_query
                                                : KvCache::grouped;
    const std::vector<LayerAttention> kinds = attention_of_layers(spec);
    const auto local = std::count(kinds.begin(), kinds.end(), LayerAttention::window);
    if (local > 0) {
        shape.window = spec.attention_window;
        shape.global_layers = spec.layers - local;
        result.kind = KvCache::sliding;
    }
    if (spec.attention == AttentionKind::mla) {
        result.kind = KvCache::latent;
        shape.latent_dim = spec.latent_channels();
        shape.latent_rope_dim = spec.rotary_head_dim();
    }
    return result;
}

}  // namespace ropelab
