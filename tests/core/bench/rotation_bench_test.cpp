#include "core/bench/rotation_bench.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"

namespace ropelab::bench {
namespace {

TEST(RotationBench, ComparesBothPairingsWithACopy) {
    const RotationSpeed speed = measure_rotation(4, 32, 16, 0.5, {3, 3, 1});
    EXPECT_DOUBLE_EQ(speed.bytes, 4 * 32 * 16 * 4);
    for (const Spread& spread :
         {speed.half, speed.interleaved, speed.copy, speed.half_over_copy, speed.interleaved_over_copy}) {
        EXPECT_EQ(spread.repetitions, 3U);
        EXPECT_GT(spread.median, 0);
    }
    EXPECT_THROW(measure_rotation(4, 32, 15, 1, {3, 3, 1}), BadInput);
}

}  // namespace
}  // namespace ropelab::bench
