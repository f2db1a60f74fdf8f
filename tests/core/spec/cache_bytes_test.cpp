#include "core/spec/cache_bytes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ropelab
