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

std::int64_t bytes_of_groups(const CacheShape& shape, bool is_index, std::int64_t context, int bytes_per_number) {
    std::int64_t total = 0;
    for (const CachedLayers& group : shape.groups) {
        if (group.is_index != is_index) continue;
        const std::int64_t tokens = group.window > 0 ? std::min(context, group.window) : context;
        total = sum(total, product({group.layers, group.numbers, tokens / group.tokens_per_entry, bytes_per_number}));
    }
    return total;
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

std::int64_t cached_numbers(const CacheShape& shape, KvCache kind) {
    switch (kind) {
        case KvCache::multi_head:
            return product({2, shape.heads, shape.head_dim});
        case KvCache::multi_query:
            return product({2, shape.head_dim});
        case KvCache::latent:
            return sum(shape.latent_dim, shape.latent_rope_dim);
        case KvCache::grouped:
        case KvCache::sliding:
            break;
    }
    return product({2, shape.kv_heads, shape.head_dim});
}

std::int64_t kv_cache_bytes(const CacheShape& shape, KvCache kind, std::int64_t context, int bytes_per_number) {
    check_not_negative({{shape.layers, "The number of layers"},
                        {shape.heads, "The number of heads"},
                        {shape.kv_heads, "The number of key-value heads"},
                        {shape.head_dim, "The head dimension"},
                        {shape.latent_dim, "The latent dimension"},
                        {shape.latent_rope_dim, "The latent RoPE dimension"},
                        {shape.window, "The sliding window"},
                        {shape.global_layers, "The number of global layers"},
                        {context, "The context"},
                        {bytes_per_number, "The number of bytes per stored value"}});
    if (!shape.groups.empty()) return bytes_of_groups(shape, false, context, bytes_per_number);
    const std::int64_t per_token = product({cached_numbers(shape, kind), bytes_per_number});
    const std::int64_t whole = kind == KvCache::sliding ? std::min(shape.global_layers, shape.layers) : shape.layers;
    return sum(product({whole, per_token, context}),
               product({shape.layers - whole, per_token, std::min(context, shape.window)}));
}

std::int64_t index_cache_bytes(const CacheShape& shape, std::int64_t context, int bytes_per_number) {
    return bytes_of_groups(shape, true, context, bytes_per_number);
}

}  // namespace ropelab
