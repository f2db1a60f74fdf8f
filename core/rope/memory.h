#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

// Sizes in bytes. The functions throw BadInput if an argument is negative or a result is 2^63 bytes or more.

/// `duplicated` stores cos and sin for each channel of a pair (Hugging Face, GPT-NeoX); `single` once per pair.
enum class TableLayout { duplicated, single };

/// Table of cos and sin for all positions (formula 31). `tables` is 1, or the number of layers if each has its own.
std::int64_t rope_cache_bytes(int rotary_dim, std::int64_t context, int bytes_per_number, TableLayout layout,
                              std::int64_t tables = 1);

/// Keys and values of all heads (`multi_head`, MHA), of kv_heads (`grouped`, GQA) or of one (`multi_query`, MQA), or a
/// latent vector and a rotary part (`latent`, MLA). `sliding` is `grouped` for the last W tokens only.
enum class KvCache { multi_head, grouped, multi_query, latent, sliding };

/// Layers whose caches have one size.
struct CachedLayers {
    std::int64_t layers = 0;
    std::int64_t numbers = 0;           // per entry
    std::int64_t window = 0;            // the most recent tokens, which have entries; 0: all tokens have
    std::int64_t tokens_per_entry = 1;  // more than 1 in compressed caches (DeepSeek V4)
    bool is_index = false;              // the keys of an indexer, which selects the tokens that a layer attends to

    bool operator==(const CachedLayers&) const = default;
};
/// One sequence of `context` tokens (formula 32), without the keys of indexers.
std::int64_t kv_cache_bytes(std::span<const CachedLayers> layers, std::int64_t context, int bytes_per_number);
/// The keys of indexers for one sequence of `context` tokens.
std::int64_t index_cache_bytes(std::span<const CachedLayers> layers, std::int64_t context, int bytes_per_number);

/// Of a model whose layers are alike, or of its usual layer if they differ.
struct AttentionSizes {
    KvCache kind = KvCache::grouped;
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    std::int64_t kv_heads = 8;
    std::int64_t head_dim = 128;
    std::int64_t value_dim = 0;         // channels of a value; 0: as many as of a key
    std::int64_t latent_dim = 512;      // d_latent of MLA
    std::int64_t latent_rope_dim = 64;  // d_rope of MLA
    std::int64_t window = 4096;         // sliding window W in tokens
    /// Layers that attend to the whole context in a model with sliding windows.
    std::int64_t global_layers = 0;

    bool operator==(const AttentionSizes&) const = default;
};
/// multi_query for one of several heads, multi_head for all of them, else grouped.
KvCache kind_of_heads(std::int64_t heads, std::int64_t kv_heads);
/// As if all layers had these sizes.
std::vector<CachedLayers> caches_of(const AttentionSizes& sizes);

}  // namespace ropelab
