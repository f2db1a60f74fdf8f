#include "core/rope/rotation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ropelab {
namespace {

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
    const TableErrors errors = table_errors(plain, 1024, NumberFormat::bfloat16);
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
    const TableErrors errors = table_errors(plain, 300, NumberFormat::float64);
    EXPECT_EQ(*std::max_element(errors.stored.begin(), errors.stored.end()), 0.0);
    EXPECT_EQ(*std::max_element(errors.computed.begin(), errors.computed.end()), 0.0);
}

TEST(TableError, ErrorIsInfiniteBeyondTheRangeOfTheFormat) {
    const Frequencies plain = frequencies({.head_dim = 8});
    const TableErrors errors = table_errors(plain, 70001, NumberFormat::float16);
    EXPECT_TRUE(std::isinf(errors.computed.front()));
    EXPECT_LT(errors.stored.front(), 0.001);
}

// Of the second frequencies, the slowest are below the normal numbers of float16.
TEST(TableError, IsTheLargestOfAllPositions) {
    const Frequencies yarn =
        frequencies({.head_dim = 128, .scaling = {.method = ScalingMethod::yarn, .factor = 4}, .context = 1024});
    for (const Frequencies& plain : {yarn, frequencies({.head_dim = 32, .theta = 1e12})}) {
        for (const NumberFormat format : {NumberFormat::float16, NumberFormat::bfloat16, NumberFormat::float32}) {
            const TableErrors errors = table_errors(plain, 3000, format);
            EXPECT_EQ(errors.stride, 1);
            for (std::size_t pair = 0; pair < errors.stored.size(); ++pair) {
                double stored = 0;
                double computed = 0;
                const double frequency = plain.inverse_frequencies[pair];
                for (std::int64_t position = 0; position < 3000; ++position) {
                    const double angle = static_cast<double>(position) * frequency;
                    const TableEntry entry = table_entry(angle, plain.attention_factor, format);
                    const TableEntry exact = table_entry(angle, plain.attention_factor, NumberFormat::float64);
                    const TableEntry rounded_angle = table_entry(table_angle(position, frequency, format, true),
                                                                 plain.attention_factor, NumberFormat::float64);
                    stored =
                        std::max({stored, std::abs(entry.cosine - exact.cosine), std::abs(entry.sine - exact.sine)});
                    computed = std::max({computed, std::abs(rounded_angle.cosine - exact.cosine),
                                         std::abs(rounded_angle.sine - exact.sine)});
                }
                EXPECT_NEAR(errors.stored[pair], stored, 1e-12) << pair;
                EXPECT_NEAR(errors.computed[pair], computed, 1e-12) << pair;
            }
        }
    }
}

TEST(TableError, OfFloat16AnglesIsNotMissedBetweenPositions) {
    const Frequencies plain = frequencies({.head_dim = 64});
    EXPECT_NEAR(std::ranges::max(table_errors(plain, 2048, NumberFormat::float16).computed), 0.7819, 1e-4);
    EXPECT_NEAR(std::ranges::max(table_errors(plain, 4096, NumberFormat::float16).computed), 1.7855, 1e-4);
}

TEST(TableError, LongContextsAreSampledWithAnOddStride) {
    const TableErrors errors =
        table_errors(frequencies({.head_dim = 4}), std::int64_t{1} << 21, NumberFormat::bfloat16);
    EXPECT_EQ(errors.stride, 3);
    EXPECT_NEAR(errors.computed.front(), 2, 1e-3);
}

}  // namespace
}  // namespace ropelab
