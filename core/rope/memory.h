#pragma once

#include <cstdint>

namespace ropelab {

// Bytes of caches (F31, F32). Both functions throw BadInput for a negative number and past 2^63 bytes.

/// Whether a table keeps each angle's cos and sin twice, once for each channel of its pair (Hugging Face, GPT-NeoX,
/// the partial-RoPE paper), or once.
enum class TableLayout { duplicated, single };

/// F31: `tables` is 1, or the number of layers where each keeps its own.
std::int64_t rope_cache_bytes(int rotary_dim, std::int64_t context, int bytes_per_number, TableLayout layout,
                              std::int64_t tables = 1);

/// What a model keeps of every token it has read: keys and values of all heads (MHA), of kv_heads (GQA), of one (MQA),
/// a latent vector with its rotary part (MLA), or kv_heads of the last W tokens only.
enum class KvCache { multi_head, grouped, multi_query, latent, sliding };

/// A model's shape as far as its caches go.
struct CacheShape {
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    std::int64_t kv_heads = 8;
    std::int64_t head_dim = 128;
    std::int64_t latent_dim = 512;      // MLA: d_latent
    std::int64_t latent_rope_dim = 64;  // MLA: d_rope
    std::int64_t window = 4096;         // sliding window W
    /// Layers that see the whole context where the others slide.
    std::int64_t global_layers = 0;

    bool operator==(const CacheShape&) const = default;
};

/// F32 for one sequence.
std::int64_t kv_cache_bytes(const CacheShape& shape, KvCache kind, std::int64_t context, int bytes_per_number);

}  // namespace ropelab
