#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"

namespace ropelab {
namespace {

TEST(Estimate, GrowsWithRunsAndIterationsAndFallsWithSpeed) {
    RunSpec spec;
    const Estimate one = estimate({spec}, 1e10);
    EXPECT_EQ(one.runs, 1);
    EXPECT_EQ(one.cohorts, 1);
    EXPECT_NEAR(estimate({spec, spec}, 1e10).seconds, 2 * one.seconds, 1e-9);
    EXPECT_NEAR(estimate({spec}, 2e10).seconds, one.seconds / 2, 1e-9);
    spec.iterations *= 3;
    EXPECT_NEAR(estimate({spec}, 1e10).seconds, 3 * one.seconds, 1e-9);
    EXPECT_GT(estimate({spec}).seconds, 0);
}

TEST(Estimate, TakesTheLargestCohortsMemory) {
    RunSpec small;
    RunSpec large;
    large.width = 256;
    const std::int64_t of_small = estimate({small}).bytes;
    const std::int64_t of_large = estimate({large}).bytes;
    EXPECT_GT(of_large, of_small);
    EXPECT_EQ(estimate({small, large}).bytes, of_large);
    EXPECT_GT(estimate({large, large}).bytes, of_large);
    EXPECT_LT(estimate({large, large}).bytes, 2 * of_large);  // LibTorch itself is there once
}

TEST(Estimate, ThePapersStepIsAboutOneTeraOperation) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.evaluate_every = 1000000000;  // training alone
    EXPECT_NEAR(operations_per_step(spec), 1.162e12, 0.1e12);
}

}  // namespace
}  // namespace ropelab
