#include "core/rope/memory.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

std::int64_t bytes_of(AttentionSizes sizes, KvCache kind, std::int64_t context, int bytes_per_number) {
    sizes.kind = kind;
    return kv_cache_bytes(caches_of(sizes), context, bytes_per_number);
}

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

TEST(RopeCache, RopeCacheAndKvCacheOfLlama3MatchTheReferenceValues) {
    EXPECT_EQ(rope_cache_bytes(128, 131072, 4, TableLayout::duplicated), 128 * mebibyte);
    EXPECT_EQ(bytes_of({.layers = 32, .heads = 32, .kv_heads = 8, .head_dim = 128}, KvCache::grouped, 131072, 2),
              16 * gibibyte);
}

TEST(RopeCache, SingleLayoutHalvesTheSizeAndTablesMultiplyIt) {  // formula 31
    EXPECT_EQ(rope_cache_bytes(32, 1000, 4, TableLayout::duplicated), 2 * 1000 * 32 * 4);
    EXPECT_EQ(rope_cache_bytes(32, 1000, 4, TableLayout::single), 1000 * 32 * 4);
    EXPECT_EQ(rope_cache_bytes(32, 1000, 2, TableLayout::single, 24), 24 * 1000 * 32 * 2);
    EXPECT_EQ(rope_cache_bytes(0, 1000, 4, TableLayout::duplicated), 0);
}

TEST(KvCache, SizesOfAllKindsMatchTheFormula) {  // formula 32
    const AttentionSizes shape{.layers = 10, .heads = 16, .kv_heads = 4, .head_dim = 64};
    EXPECT_EQ(bytes_of(shape, KvCache::multi_head, 1000, 2), 2 * 10 * 16 * 64 * 1000 * 2);
    EXPECT_EQ(bytes_of(shape, KvCache::grouped, 1000, 2), 2 * 10 * 4 * 64 * 1000 * 2);
    EXPECT_EQ(bytes_of(shape, KvCache::multi_query, 1000, 2), 2 * 10 * 1 * 64 * 1000 * 2);
    // DeepSeek-V3 has 61 layers and stores 512 + 64 numbers per layer and token.
    EXPECT_EQ(bytes_of({.layers = 61}, KvCache::latent, 1000, 2), 61LL * 576 * 1000 * 2);
}

// DeepSeek-V3's 128 heads have keys of 192 channels and values of 128; 32,768 tokens then need 152.5 GiB in bfloat16.
TEST(KvCache, ValuesMayBeNarrowerThanKeys) {
    const AttentionSizes shape{.layers = 61, .heads = 128, .kv_heads = 128, .head_dim = 192, .value_dim = 128};
    EXPECT_EQ(bytes_of(shape, KvCache::multi_head, 32768, 2), gibibyte * 305 / 2);
    EXPECT_EQ(bytes_of(shape, KvCache::multi_query, 1000, 2), 61LL * (192 + 128) * 1000 * 2);
}

TEST(KvCache, SlidingWindowLimitsTheSizeExceptInGlobalLayers) {
    AttentionSizes shape{.layers = 6, .kv_heads = 4, .head_dim = 64, .window = 512};
    const std::int64_t layer_token = 2 * 4 * 64 * 2;
    EXPECT_EQ(bytes_of(shape, KvCache::sliding, 100, 2), 6 * layer_token * 100);
    EXPECT_EQ(bytes_of(shape, KvCache::sliding, 4096, 2), 6 * layer_token * 512);
    shape.global_layers = 1;
    EXPECT_EQ(bytes_of(shape, KvCache::sliding, 4096, 2), layer_token * (4096 + 5 * 512));
    shape.global_layers = 9;  // more than the model has layers, so all layers are global
    EXPECT_EQ(bytes_of(shape, KvCache::sliding, 4096, 2), bytes_of(shape, KvCache::grouped, 4096, 2));
}

TEST(KvCache, LayersMayDifferInWindowCompressionAndIndex) {
    const std::vector<CachedLayers> layers = {{.layers = 4, .numbers = 256, .window = 128},
                                              {.layers = 2, .numbers = 512},
                                              {.layers = 2, .numbers = 512, .tokens_per_entry = 4},
                                              {.layers = 2, .numbers = 64, .tokens_per_entry = 4, .is_index = true}};
    EXPECT_EQ(kv_cache_bytes(layers, 1001, 2), 2 * (4 * 256 * 128 + 2 * 512 * 1001 + 2 * 512 * 250));
    EXPECT_EQ(kv_cache_bytes(layers, 100, 2), 2 * (4 * 256 * 100 + 2 * 512 * 100 + 2 * 512 * 25));
    EXPECT_EQ(index_cache_bytes(layers, 1001, 2), 2 * 2 * 64 * 250);
    EXPECT_EQ(index_cache_bytes({}, 1001, 2), 0);
}

TEST(Memory, ThrowsForNegativeNumbersAndOverflow) {
    EXPECT_MESSAGE(rope_cache_bytes(-2, 1, 4, TableLayout::single), BadInput, "rotary dimension is -2");
    EXPECT_MESSAGE(bytes_of({.window = -1}, KvCache::sliding, 1, 4), BadInput, "sliding window is -1");
    EXPECT_MESSAGE(bytes_of({}, KvCache::grouped, std::numeric_limits<std::int64_t>::max(), 4), BadInput, "2^63");
    EXPECT_MESSAGE(bytes_of({.latent_dim = std::numeric_limits<std::int64_t>::max()}, KvCache::latent, 1, 4), BadInput,
                   "2^63");
    EXPECT_MESSAGE(
        bytes_of({.layers = 2, .kv_heads = 1, .head_dim = 1, .window = std::int64_t{1} << 61, .global_layers = 1},
                 KvCache::sliding, std::int64_t{1} << 61, 1),
        BadInput, "2^63");
}

}  // namespace
}  // namespace ropelab
