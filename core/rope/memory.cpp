#include "core/rope/memory.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace ropelab {

namespace {

using Named = std::pair<std::int64_t, const char*>;

void check_not_negative(std::initializer_list<Named> numbers) {
    for (const auto& [number, name] : numbers) {
        if (number < 0) {
            throw BadInput(std::string(name) + " is " + std::to_string(number) + ", but it must be 0 or more.");
        }
    }
}

[[noreturn]] void throw_overflow() {
    throw BadInput("The cache would have 8 EiB or more; its size must be below 2^63 bytes.");
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
    std::int64_t result = 1;
    for (std::int64_t factor : factors) {
        if (__builtin_mul_overflow(result, factor, &result)) throw_overflow();
    }
    return result;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw_overflow();
    return result;
}

std::int64_t bytes_of(std::span<const CachedLayers> layers, bool is_index, std::int64_t context, int bytes_per_number) {
    check_not_negative({{context, "The context"}, {bytes_per_number, "The number of bytes per stored value"}});
    std::int64_t total = 0;
    for (const CachedLayers& group : layers) {
        if (group.is_index != is_index) continue;
        const std::int64_t tokens = group.window > 0 ? std::min(context, group.window) : context;
        total = sum(total, product({group.layers, group.numbers, tokens / group.tokens_per_entry, bytes_per_number}));
    }
    return total;
}

// In one layer, per token.
std::int64_t numbers_of(const AttentionSizes& sizes) {
    const std::int64_t per_head = sum(sizes.head_dim, sizes.value_dim > 0 ? sizes.value_dim : sizes.head_dim);
    switch (sizes.kind) {
        case KvCache::multi_head:
            return product({sizes.heads, per_head});
        case KvCache::multi_query:
            return per_head;
        case KvCache::latent:
            return sum(sizes.latent_dim, sizes.latent_rope_dim);
        case KvCache::grouped:
        case KvCache::sliding:
            break;
    }
    return product({sizes.kv_heads, per_head});
}

}  // namespace

std::int64_t rope_cache_bytes(int rotary_dim, std::int64_t context, int bytes_per_number, TableLayout layout,
                              std::int64_t tables) {
    check_not_negative({{rotary_dim, "The rotary dimension"},
                        {context, "The context"},
                        {bytes_per_number, "The number of bytes per stored value"},
                        {tables, "The number of tables"}});
    const std::int64_t copies = layout == TableLayout::duplicated ? 2 : 1;
    return product({copies, rotary_dim, context, bytes_per_number, tables});
}

std::int64_t kv_cache_bytes(std::span<const CachedLayers> layers, std::int64_t context, int bytes_per_number) {
    return bytes_of(layers, false, context, bytes_per_number);
}

std::int64_t index_cache_bytes(std::span<const CachedLayers> layers, std::int64_t context, int bytes_per_number) {
    return bytes_of(layers, true, context, bytes_per_number);
}

KvCache kind_of_heads(std::int64_t heads, std::int64_t kv_heads) {
    return kv_heads == heads ? KvCache::multi_head : kv_heads == 1 ? KvCache::multi_query : KvCache::grouped;
}

std::vector<CachedLayers> caches_of(const AttentionSizes& sizes) {
    check_not_negative({{sizes.layers, "The number of layers"},
                        {sizes.heads, "The number of heads"},
                        {sizes.kv_heads, "The number of key-value heads"},
                        {sizes.head_dim, "The head dimension"},
                        {sizes.value_dim, "The dimension of a value"},
                        {sizes.latent_dim, "The latent dimension"},
                        {sizes.latent_rope_dim, "The latent RoPE dimension"},
                        {sizes.window, "The sliding window"},
                        {sizes.global_layers, "The number of global layers"}});
    const std::int64_t whole =
        sizes.kind == KvCache::sliding ? std::min(sizes.global_layers, sizes.layers) : sizes.layers;
    const std::int64_t numbers = numbers_of(sizes);
    return {{.layers = whole, .numbers = numbers},
            {.layers = sizes.layers - whole, .numbers = numbers, .window = sizes.window}};
}

}  // namespace ropelab
