// Rotary tables that are rounded to bfloat16, or computed at rounded positions.
#include <gtest/gtest.h>

#include <bit>

#include "core/engine/attention/rotary.h"

namespace ropelab {
namespace {

constexpr std::int64_t positions = 600;

RunSpec spec_with(RopePrecision precision) {
    RunSpec spec;
    spec.width = 16;
    spec.heads = 2;
    spec.theta = 500;
    spec.fraction = 0.5;
    spec.rope_precision = precision;
    return spec;
}

RotaryTables tables_with(RopePrecision precision, std::int64_t count = positions) {
    const ModelPlan plan = plan_of(spec_with(precision), 1);
    return layer_tables({&plan, 1}, count, torch::kCPU).at(0);
}

// Rounds a number to bfloat16 by its bits: to the nearest, and halfway cases to the even one.
float by_bits(float number) {
    auto bits = std::bit_cast<std::uint32_t>(number);
    bits += 0x7FFF + ((bits >> 16) & 1);
    return std::bit_cast<float>(bits & 0xFFFF0000);
}

TEST(RopePrecision, RoundedPositionsUseTheTablesOfTheNearestBfloat16Number) {
    const RotaryTables exact = tables_with(RopePrecision::float32, 700);
    const RotaryTables rounded = tables_with(RopePrecision::bfloat16_positions);
    ASSERT_EQ(rounded.cosine.size(2), positions);
    for (std::int64_t position = 0; position < positions; ++position) {
        const auto nearest = static_cast<std::int64_t>(by_bits(static_cast<float>(position)));
        EXPECT_TRUE(torch::equal(rounded.cosine.select(2, position), exact.cosine.select(2, nearest))) << position;
        EXPECT_TRUE(torch::equal(rounded.sine.select(2, position), exact.sine.select(2, nearest))) << position;
    }
    // bfloat16 has 8 significant bits: 257 is halfway between 256 and 258, and 256 is the even one.
    EXPECT_EQ(by_bits(257), 256);
    EXPECT_EQ(by_bits(259), 260);
    EXPECT_EQ(by_bits(514), 512);
    EXPECT_FALSE(torch::equal(rounded.cosine.select(2, 257), exact.cosine.select(2, 257)));
}

TEST(RopePrecision, PositionsUpTo256AreExact) {
    const RotaryTables exact = tables_with(RopePrecision::float32, 257);
    const RotaryTables rounded = tables_with(RopePrecision::bfloat16_positions, 257);
    EXPECT_TRUE(torch::equal(rounded.cosine, exact.cosine));
    EXPECT_TRUE(torch::equal(rounded.sine, exact.sine));
}

TEST(RopePrecision, RoundedTablesEqualTheRoundedBits) {
    const RotaryTables exact = tables_with(RopePrecision::float32);
    const RotaryTables rounded = tables_with(RopePrecision::bfloat16_tables);
    const float* wanted = exact.cosine.data_ptr<float>();
    const float* got = rounded.cosine.data_ptr<float>();
    for (std::int64_t i = 0; i < exact.cosine.numel(); ++i) EXPECT_EQ(got[i], by_bits(wanted[i])) << i;
}

// Without a cache, and with a theta that changes, the tables are computed in another way.
TEST(RopePrecision, EveryWayToComputeTablesRounds) {
    RunSpec spec = spec_with(RopePrecision::bfloat16_positions);
    const ModelPlan stores = plan_of(spec, 1);
    const LayerTables stored = TableSource({&stores, 1}, positions, torch::kCPU).at(200, 300);
    spec.rope_cache = false;
    const ModelPlan computes = plan_of(spec, 1);
    const TableSource computed({&computes, 1}, positions, torch::kCPU);
    EXPECT_LT((computed.at(200, 300).at(0).sine - stored.at(0).sine).abs().max().item<double>(), 1e-6);
    const torch::Tensor chosen = torch::tensor({256, 257}, torch::kInt64);
    const torch::Tensor sines = computed.at(chosen).at(0).sine;
    EXPECT_TRUE(torch::equal(sines.select(2, 0), sines.select(2, 1)));
}

}  // namespace
}  // namespace ropelab
