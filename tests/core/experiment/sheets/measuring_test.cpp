#include "core/experiment/sheets/measuring.h"

#include <gtest/gtest.h>

#include <limits>

namespace ropelab {
namespace {

RunMetrics::Steps falling(std::int64_t count) {
    RunMetrics::Steps steps;
    for (std::int64_t i = 1; i <= count; ++i) {
        steps.iteration.push_back(i);
        steps.training_loss.push_back(2 + 2.0 / static_cast<double>(i));
    }
    return steps;
}

TEST(Measuring, ASpikeRisesOverTheLowestLossBefore) {
    RunMetrics::Steps steps = falling(200);
    EXPECT_FALSE(has_spike(steps, 10));
    steps.training_loss[150] += 0.4;
    EXPECT_FALSE(has_spike(steps, 10));
    steps.training_loss[150] += 0.3;
    EXPECT_TRUE(has_spike(steps, 10));
    EXPECT_FALSE(has_spike(steps, 160));  // within the warm-up
    steps = falling(200);
    steps.training_loss.back() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(has_spike(steps, 10));
    EXPECT_FALSE(has_spike({}, 0));
}

}  // namespace
}  // namespace ropelab
