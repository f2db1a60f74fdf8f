#include "core/forecast/remaining_time.h"

#include <gtest/gtest.h>

namespace ropelab {
namespace {

TEST(RemainingTime, ASteadySweepIsPredictedFromTheFirstSecondsWithARangeThatNarrows) {
    RemainingTime time;
    EXPECT_FALSE(time.left(1));
    double before = 10;
    for (int i = 1; i <= 300; ++i) {
        time.add(3 + 0.1 * i, 0.001 * i);  // a whole takes 100 s; the engine started for 3 s
        const auto left = time.left(1);
        EXPECT_EQ(left.has_value(), i > 5) << i;
        if (!left) continue;
        const double truth = 100 * (1 - 0.001 * i);
        EXPECT_NEAR(left->likely, truth, 1e-6) << i;
        EXPECT_LT(left->low, truth);
        EXPECT_GT(left->high, truth);
        if (i % 50 == 0) {
            EXPECT_LT(left->high / left->low, before);
            before = left->high / left->low;
        }
    }
    EXPECT_LT(before, 1.3);
}

TEST(RemainingTime, FollowsTheSpeedWhenOtherWorkStartsAndEnds) {
    RemainingTime time;
    double seconds = 0;
    double done = 0;
    const auto train = [&](double duration, double per_whole) {
        for (double end = seconds + duration; seconds < end; seconds += 0.1, done += 0.1 / per_whole)
            time.add(seconds, done);
    };
    train(5, 60);
    train(12, 240);  // four times as slow
    EXPECT_NEAR(time.left(1)->likely, 240 * (1 - done), 20);
    EXPECT_LE(time.left(1)->low, 130 * (1 - done)) << "it may become as fast as it was on average";
    train(8, 60);
    EXPECT_NEAR(time.left(1)->likely, 60 * (1 - done), 15);
}

TEST(RemainingTime, AddedWorkBeginsTheMeasurementAnew) {
    RemainingTime time;
    for (int i = 1; i <= 20; ++i) time.add(i, 0.04 * i);
    time.add(21, 0.5);
    EXPECT_FALSE(time.left(1));
    time.add(22, 0.52);
    EXPECT_NEAR(time.left(1)->likely, 24, 1e-9);
}

TEST(DurationRange, HasOneUnitWherePossible) {
    EXPECT_EQ(duration_range_text(38.7, 56.2), "40–55 s");
    EXPECT_EQ(duration_range_text(290, 470), "5–8 min");
    EXPECT_EQ(duration_range_text(50, 130), "50 s to 2 min");
    EXPECT_EQ(duration_range_text(3.2, 3.4), "3 s");
    EXPECT_EQ(duration_range_text(0.1, 0.2), "1 s");
    EXPECT_EQ(duration_range_text(3000, 5400), "50 min to 1 h 30 min");
}

}  // namespace
}  // namespace ropelab
