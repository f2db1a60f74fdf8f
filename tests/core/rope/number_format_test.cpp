#include "core/rope/number_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using enum NumberFormat;

TEST(NumberFormat, ParsingTheNameOfAFormatReturnsTheFormat) {
    for (NumberFormat format : number_formats()) EXPECT_EQ(parse_number_format(word_of(format)), format);
    EXPECT_MESSAGE(parse_number_format("bfloat"), BadInput, "did you mean \"bfloat16\"?");
}

TEST(NumberFormat, BytesPerNumberAreCorrect) {
    EXPECT_EQ(bytes_of(float64), 8);
    EXPECT_EQ(bytes_of(float32), 4);
    EXPECT_EQ(bytes_of(float16), 2);
    EXPECT_EQ(bytes_of(bfloat16), 2);
}

TEST(NumberFormat, RoundingToFloat32EqualsACastToFloat) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> exponent(-150, 127);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    for (int i = 0; i < 10000; ++i) {
        const double value = mantissa(generator) * std::exp2(exponent(generator));
        EXPECT_EQ(rounded(value, float32), static_cast<double>(static_cast<float>(value)));
    }
    EXPECT_EQ(rounded(0.1, float64), 0.1);
}

TEST(NumberFormat, TiesAreRoundedToEven) {
    EXPECT_EQ(rounded(257, bfloat16), 256);
    EXPECT_EQ(rounded(259, bfloat16), 260);
    EXPECT_EQ(rounded(-257, bfloat16), -256);
    EXPECT_EQ(rounded(2049, float16), 2048);
    EXPECT_EQ(rounded(2051, float16), 2052);
    EXPECT_EQ(rounded(257.0001, bfloat16), 258);
}

TEST(NumberFormat, RoundsTheLargestAndSmallestNumbersCorrectly) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rounded(65504, float16), 65504);
    EXPECT_EQ(rounded(65519, float16), 65504);
    EXPECT_EQ(rounded(65520, float16), infinity);
    EXPECT_EQ(rounded(-1e9, float16), -infinity);
    EXPECT_EQ(rounded(1e39, bfloat16), infinity);
    EXPECT_EQ(rounded(std::exp2(-24), float16), std::exp2(-24));
    EXPECT_EQ(rounded(std::exp2(-25), float16), 0);  // a tie between 0 and the smallest positive number
    EXPECT_EQ(rounded(std::exp2(-24) * 1.5, float16), std::exp2(-23));
    EXPECT_TRUE(std::isnan(rounded(std::nan(""), float16)));
    EXPECT_EQ(rounded(infinity, bfloat16), infinity);
    EXPECT_TRUE(std::signbit(rounded(-0.0, bfloat16)));
}

TEST(NumberFormat, FirstWrongPositionIsTheFirstThatIsNotRepresentable) {
    EXPECT_EQ(first_inexact_position(bfloat16), 257);
    EXPECT_EQ(first_inexact_position(float16), 2049);
    EXPECT_EQ(first_inexact_position(float32), 16777217);
    EXPECT_EQ(first_inexact_position(float64), 9007199254740993);
    for (NumberFormat format : {bfloat16, float16, float32}) {
        std::int64_t first = 0;
        while (rounded(static_cast<double>(first), format) == static_cast<double>(first)) ++first;
        EXPECT_EQ(first, first_inexact_position(format)) << word_of(format);
    }
}

TEST(NumberFormat, Bfloat16PositionsBelow8192HaveErrorsUpTo16Tokens) {
    double largest = 0;
    for (int position = 0; position < 8192; ++position) {
        largest = std::max(largest, std::abs(rounded(position, bfloat16) - position));
    }
    EXPECT_EQ(largest, 16);
}

}  // namespace
}  // namespace ropelab
