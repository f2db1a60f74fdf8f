#include "core/spec/cache_bytes.h"

#include "core/rope/frequencies.h"
#include "core/rope/memory.h"

namespace ropelab {

CacheBytes cache_bytes(const RunSpec& spec) {
    constexpr int bytes_per_number = 4;
    CacheBytes result;
    if (spec.operations != Operations::eager) {
        const std::int64_t head_dim = spec.head_dim();
        const bool is_mla = spec.attention == AttentionKind::mla;
        for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
            const std::int64_t per_token =
                is_mla ? spec.latent_channels() + spec.rotary_head_dim() : 2 * spec.kv_heads() * head_dim;
            const std::int64_t numbers = spec.layer_attention(layer) == LayerAttention::delta_net
                                             ? spec.heads * head_dim * head_dim
                                             : per_token * spec.visible_tokens(layer);
            result.kv += numbers * bytes_per_number;
        }
    }
    if (spec.rotates() && spec.rope_cache) {
        result.rope = rope_cache_bytes(rotary_dim(spec.rotary_head_dim(), spec.fraction), spec.context,
                                       bytes_per_number, TableLayout::single);
    }
    return result;
}

}  // namespace ropelab
