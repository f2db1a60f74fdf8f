#include "core/rope/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ropelab {
namespace {

std::vector<std::int64_t> positions_below(std::int64_t count) {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
}

TEST(TableError, AngleComputedInTheFormatUsesRoundedPositionsAndFrequencies) {
    // 257 is the first position that bfloat16 cannot represent. The frequency is 1 radian per token.
    EXPECT_EQ(table_angle(256, 1.0, NumberFormat::bfloat16, true), 256.0);
    EXPECT_EQ(table_angle(257, 1.0, NumberFormat::bfloat16, true), 256.0);
    EXPECT_EQ(table_angle(257, 1.0, NumberFormat::bfloat16, false), 257.0);
    EXPECT_EQ(table_angle(259, 1.0, NumberFormat::bfloat16, true), 260.0);
    // The frequency and the product are rounded too.
    const double third = rounded(1.0 / 3.0, NumberFormat::bfloat16);
    EXPECT_EQ(table_angle(7, 1.0 / 3.0, NumberFormat::bfloat16, true), rounded(7.0 * third, NumberFormat::bfloat16));
    EXPECT_EQ(table_angle(7, 1.0 / 3.0, NumberFormat::bfloat16, false), 7.0 * (1.0 / 3.0));
}

TEST(TableError, AngleBeyondTheRangeIsInfiniteExceptForFrozenPairs) {
    EXPECT_TRUE(std::isinf(table_angle(70000, 1.0, NumberFormat::float16, true)));
    EXPECT_EQ(table_angle(70000, 0.0, NumberFormat::float16, true), 0.0);
    EXPECT_TRUE(std::isnan(table_entry(INFINITY, 1.0, NumberFormat::float16).cosine));
}

TEST(TableError, EntriesIncludeTheAttentionFactorAndAreRounded) {
    const TableEntry entry = table_entry(0.5, 1.1386, NumberFormat::bfloat16);
    EXPECT_EQ(entry.cosine, rounded(std::cos(0.5) * 1.1386, NumberFormat::bfloat16));
    EXPECT_EQ(entry.sine, rounded(std::sin(0.5) * 1.1386, NumberFormat::bfloat16));
    EXPECT_NE(entry.cosine, std::cos(0.5) * 1.1386);
}

TEST(TableError, StoredErrorIsHalfAUnitAndComputedErrorIsAsLargeAsTheNumbers) {
    const Frequencies plain = frequencies({.head_dim = 64});
    const std::vector<std::int64_t> positions = positions_below(1024);
    const TableErrors errors = table_errors(plain, positions, NumberFormat::bfloat16);
    ASSERT_EQ(errors.stored.size(), 32U);
    ASSERT_EQ(errors.computed.size(), 32U);
    const double half_unit = std::ldexp(1.0, -9);  // half a unit in the last place of numbers between 1/2 and 1
    for (const double error : errors.stored) {
        EXPECT_LE(error, half_unit);
        EXPECT_GT(error, 0.5 * half_unit);
    }
    // Positions below 1,024 have errors of up to 2 tokens, and the highest frequency is 1 radian per token.
    EXPECT_GT(errors.computed.front(), 1.5);
    EXPECT_LE(errors.computed.front(), 2.0);
    // With the lowest frequency, an error of the position changes the angle only slightly.
    EXPECT_LT(errors.computed.back(), 0.01);
}

TEST(TableError, Float64IsTheReference) {
    const Frequencies plain = frequencies({.head_dim = 32});
    const TableErrors errors = table_errors(plain, positions_below(300), NumberFormat::float64);
    EXPECT_EQ(*std::max_element(errors.stored.begin(), errors.stored.end()), 0.0);
    EXPECT_EQ(*std::max_element(errors.computed.begin(), errors.computed.end()), 0.0);
}

TEST(TableError, ErrorIsInfiniteBeyondTheRangeOfTheFormat) {
    const Frequencies plain = frequencies({.head_dim = 8});
    const std::vector<std::int64_t> positions = {0, 70000};
    const TableErrors errors = table_errors(plain, positions, NumberFormat::float16);
    EXPECT_TRUE(std::isinf(errors.computed.front()));
    EXPECT_LT(errors.stored.front(), 0.001);
}

TEST(TableError, SampledPositionsHaveAnOddStrideAndIncludeBothEnds) {
    EXPECT_EQ(sampled_positions(0, 4, 512), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(sampled_positions(5, 5, 512), (std::vector<std::int64_t>{5}));
    for (const std::int64_t count : {1024, 4096, 8192, 131072}) {
        const std::vector<std::int64_t> positions = sampled_positions(0, count - 1, 512);
        EXPECT_LE(positions.size(), 514U);
        EXPECT_GT(positions.size(), 250U);
        EXPECT_EQ(positions.front(), 0);
        EXPECT_EQ(positions.back(), count - 1);
        EXPECT_EQ((positions[1] - positions[0]) % 2, 1) << count;
    }
}

}  // namespace
}  // namespace ropelab
