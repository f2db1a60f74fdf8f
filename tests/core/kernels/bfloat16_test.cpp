#include "core/kernels/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ropelab::kernels {
namespace {

TEST(Bfloat16Number, RoundTripsEveryValueThroughFloat32) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Bfloat16 value{static_cast<std::uint16_t>(bits)};
        if (std::isnan(to_float(value))) continue;
        ASSERT_EQ(to_bfloat16(to_float(value)).bits, bits);
    }
}

TEST(Bfloat16Number, RoundsToNearestWithTiesToEven) {
    // Numbers between the neighbors a = k and b = k + 1 are rounded to a below the midpoint, to b above it, and to the
    // even one at the midpoint.
    for (std::uint32_t bits : {0x3F80U, 0x3F81U, 0x4049U, 0x0001U, 0x7F7EU, 0xBF80U, 0xC2C8U}) {
        const auto at = [&](std::uint32_t offset) {
            const std::uint32_t wide = (bits << 16) + offset;
            float value;
            std::memcpy(&value, &wide, sizeof value);
            return to_bfloat16(value).bits;
        };
        EXPECT_EQ(at(0x7FFF), bits);
        EXPECT_EQ(at(0x8000), bits + bits % 2);
        EXPECT_EQ(at(0x8001), bits + 1);
    }
}

TEST(Bfloat16Number, KeepsNonFiniteNumbers) {
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(to_float(to_bfloat16(infinity)), infinity);
    EXPECT_EQ(to_float(to_bfloat16(-infinity)), -infinity);
    EXPECT_EQ(to_float(to_bfloat16(std::numeric_limits<float>::max())), infinity);
    EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace ropelab::kernels
