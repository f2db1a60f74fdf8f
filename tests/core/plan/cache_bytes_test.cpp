#include "core/plan/step_cost.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/plan/anatomy_variants.h"

namespace ropelab {
namespace {

// Formulas 31 and 32 by hand: 2 · 3 layers · 2 heads · 16 channels · 128 tokens · 4 bytes = 98,304, and a table of
// 8 rotated channels · 128 positions · 4 bytes = 4,096.
TEST(CacheBytes, FollowFromTheSettings) {
    RunSpec spec;
    spec.layers = 3;
    spec.heads = 4;
    spec.key_value_heads = 2;
    spec.width = 64;
    spec.context = 128;
    spec.fraction = 0.5;
    EXPECT_EQ(cache_bytes(spec).kv, 98304);
    EXPECT_EQ(cache_bytes(spec).rope, 4096);
    EXPECT_EQ(cache_bytes(spec).total(), 102400);
    spec.attention_window = 32;
    EXPECT_EQ(cache_bytes(spec).kv, 98304 / 4);
    spec.rope_cache = false;
    EXPECT_EQ(cache_bytes(spec).rope, 0);
    spec.rope_cache = true;
    spec.position = Position::none;
    EXPECT_EQ(cache_bytes(spec).rope, 0);
    spec.operations = Operations::eager;
    EXPECT_EQ(cache_bytes(spec).total(), 0);
}

// Formulas 32, 44 and 46 by hand, per layer: 2 · 4 heads · 16 channels · 128 tokens · 4 bytes = 65,536 for mha; (32
// latent and 8 rotary channels) · 128 · 4 = 20,480 for mla; 4 heads · 16 · 16 · 4 = 4,096 for a gated DeltaNet.
TEST(CacheBytes, DependOnTheAttentionOfEachLayer) {
    RunSpec spec;
    spec.layers = 4;
    spec.heads = 4;
    spec.width = 64;
    spec.context = 128;
    EXPECT_EQ(cache_bytes(spec).kv, 4 * 65536);
    spec.attention = AttentionKind::mla;
    EXPECT_EQ(cache_bytes(spec).kv, 4 * 20480);
    EXPECT_EQ(cache_bytes(spec).rope, 8 * 128 * 4);
    spec.attention_layers = "3window+full";
    spec.attention_window = 32;
    EXPECT_EQ(cache_bytes(spec).kv, 3 * 20480 / 4 + 20480);
    spec.attention_window = 0;
    spec.attention_layers = "3 deltanet + 1 full";
    EXPECT_EQ(cache_bytes(spec).kv, 3 * 4096 + 20480);
    spec.attention = AttentionKind::gated;
    EXPECT_EQ(cache_bytes(spec).kv, 3 * 4096 + 65536);
    spec.attention_layers = "3window+full";
    spec.attention_window = 32;
    EXPECT_EQ(cache_bytes(spec).kv, 3 * 65536 / 4 + 65536);
}

TEST(CacheBytes, TheFormOfPublishedModelsHasTheSameSize) {
    for (const std::string& settings : anatomy_variants()) {
        SCOPED_TRACE(settings);
        const RunSpec spec = anatomy_spec(settings);
        if (spec.has_delta_net() || spec.operations == Operations::eager) continue;
        const std::int64_t published = kv_cache_bytes(caches_of(attention_sizes(spec)), spec.context, 4);
        if (spec.key_offset != "none" || spec.token_smear) {
            // They also keep parts of the previous token: less than one more token of the cache.
            EXPECT_GT(cache_bytes(spec).kv, published);
            EXPECT_LE(cache_bytes(spec).kv, published + published / spec.context + spec.width * 4);
            continue;
        }
        EXPECT_EQ(published, cache_bytes(spec).kv);
    }
    EXPECT_THROW(attention_sizes(anatomy_spec("attention_layers=deltanet+full")), BadInput);
}

}  // namespace
}  // namespace ropelab
