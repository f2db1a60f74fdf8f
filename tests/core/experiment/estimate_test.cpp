#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"

namespace ropelab {
namespace {

TEST(Estimate, CountsTheParametersOfThePapersModel) {
    // Six layers of 12·384² and a tied embedding of 65·384: 10.64 M, as nanoGPT prints for this shape.
    EXPECT_NEAR(static_cast<double>(estimate(preset("theta-paper").experiment.expand()).parameters), 10.64e6, 0.02e6);
}

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

TEST(Estimate, ThePapersStepIsAboutOneTeraOperation) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.evaluate_every = 1000000000;  // training alone
    EXPECT_NEAR(operations_per_step(spec), 1.162e12, 0.1e12);
}

}  // namespace
}  // namespace ropelab
