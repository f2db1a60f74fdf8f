#include "core/plan/cache_bytes.h"

#include "core/plan/model_plan.h"
#include "core/rope/frequencies.h"
#include "core/rope/memory.h"

namespace ropelab {

CacheBytes cache_bytes(const RunSpec& spec) {
    constexpr int bytes_per_number = 4;
    CacheBytes result;
    const ModelPlan plan = plan_of(spec, 1);
    for (const LayerPlan& layer : plan.layers) result.kv += layer.cache_bytes(plan.sizes).value_or(0);
    if (spec.rotates() && spec.rope_cache) {
        result.rope = rope_cache_bytes(rotary_dim(spec.rotary_head_dim(), spec.fraction), spec.context,
                                       bytes_per_number, TableLayout::single);
    }
    return result;
}

}  // namespace ropelab
