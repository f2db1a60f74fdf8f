#include "core/rope/reading.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/rope/rotary_setup.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

Frequencies four_hands() {
    return frequencies(frequency_settings(parse_setups("theta=10k head_dim=8 context=1024").a));
}

// Counted with a loop over Python's math.fmod.
TEST(PossiblePositions, BecomeFewerWithEveryHand) {
    const auto left = [](std::int64_t m, double accuracy, std::size_t pairs) {
        return possible_positions(four_hands(), m, 0, 1024, accuracy, pairs).size();
    };
    EXPECT_EQ(left(374, 10, 0), 1024U);
    EXPECT_EQ(left(374, 10, 1), 56U);
    EXPECT_EQ(left(374, 10, 2), 6U);
    EXPECT_EQ(left(374, 10, 3), 1U);
    EXPECT_EQ(left(374, 10, 4), 1U);
    EXPECT_EQ(left(374, 10, 100), 1U);
    EXPECT_EQ(left(500, 10, 1), 56U);
    EXPECT_EQ(left(500, 10, 2), 7U);
    EXPECT_EQ(left(777, 10, 1), 57U);
    EXPECT_EQ(left(300, 10, 2), 6U);
}

// 44 tokens are 7.003 periods of the fastest hand, and 19 are 3.02.
TEST(PossiblePositions, LieWholePeriodsAway) {
    EXPECT_EQ(possible_positions(four_hands(), 374, 320, 100, 10, 1),
              (std::vector<std::int64_t>{330, 349, 355, 374, 393, 399, 418}));
    EXPECT_EQ(possible_positions(four_hands(), 374, 0, 1024, 0, 1), std::vector<std::int64_t>{374});
}

TEST(PossiblePositions, RefuseAnAccuracyThatIsNone) {
    EXPECT_MESSAGE(possible_positions(four_hands(), 0, 0, 8, 181, 1), BadInput,
                   "The accuracy of a read angle is 181 degrees, but it must be from 0 to 180.");
}

}  // namespace
}  // namespace ropelab
