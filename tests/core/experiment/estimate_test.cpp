#include <gtest/gtest.h>

#include "core/experiment/device_need.h"
#include "core/experiment/estimate.h"
#include "core/experiment/experiment.h"
#include "core/experiment/step_cost.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

TEST(Estimate, GrowsWithRunsAndIterationsAndFallsWithSpeed) {
    RunSpec spec;
    const Estimate one = estimate({spec}, 1e10);
    EXPECT_EQ(one.runs, 1);
    EXPECT_EQ(one.cohorts, 1);
    EXPECT_NEAR(estimate({spec, spec}, 1e10).seconds, 2 * one.seconds, 1e-9);
    EXPECT_NEAR(estimate({spec}, 2e10).seconds, one.seconds / 2, 1e-9);
    spec.iterations *= 3;  // the evaluation before the first step is counted once
    EXPECT_GT(estimate({spec}, 1e10).seconds, 2.9 * one.seconds);
    EXPECT_LT(estimate({spec}, 1e10).seconds, 3 * one.seconds);
    EXPECT_NEAR(estimate({spec}, default_speed(spec)).seconds, estimate({spec}).seconds, 1e-9);
}

// A run with sampled evaluations ends with an evaluation of the whole split, whose length depends on the data set.
TEST(Estimate, IncludesTheFinalEvaluationOfTheWholeSplit) {
    const ScratchFolder folder;
    RunSpec spec;
    spec.data = folder.write("text.txt", std::string(200000, 'a')).string();
    EXPECT_EQ(likely_validation_tokens(spec), 20000);
    spec.split = Split::ninety_five_five;
    EXPECT_EQ(likely_validation_tokens(spec), 10000);
    spec.evaluation = Evaluation::sampled;
    const double short_split = estimate({spec}, 1e10).seconds;
    spec.split = Split::ninety_ten;
    EXPECT_NEAR(estimate({spec}, 1e10).seconds - short_split, evaluation_operations(spec, 10000) / 1e10, 1e-9);

    const auto known = ScratchFolder();
    known.write("text8.first-1000-bytes", std::string(1000, 'a'));
    spec.data = "text8";
    EXPECT_EQ(likely_validation_tokens(spec, known.path()), 100);
    spec.data = "synthetic";
    EXPECT_EQ(likely_validation_tokens(spec), spec.data_length / 10);
}

// The measured duration of a sweep gives the speed at which its estimate is exact, evaluations included.
TEST(Estimate, ReachedSpeedInvertsTheEstimate) {
    const ScratchFolder folder;
    RunSpec spec;
    spec.data = folder.write("text.txt", std::string(4'000'000, 'a')).string();
    spec.evaluation = Evaluation::sampled;  // ends with an evaluation of 400,000 tokens
    spec.iterations = 50;
    const std::vector<RunSpec> runs(6, spec);
    const double seconds = estimate(runs, 7e9).seconds;
    ASSERT_GT(seconds, 5);
    ASSERT_TRUE(reached_speed(runs, seconds));
    EXPECT_NEAR(*reached_speed(runs, seconds) / 7e9, 1, 1e-9);
    EXPECT_FALSE(reached_speed(runs, 4.9));
    EXPECT_FALSE(reached_speed({}, 60));
    spec.iterations = 8;  // evaluations and samples take longer than the steps
    EXPECT_FALSE(reached_speed({spec}, 60));
}

TEST(Estimate, EagerIsSlowerForNarrowModels) {
    RunSpec spec;
    const auto times_as_long = [&] {
        RunSpec eager = spec;
        eager.operations = Operations::eager;
        return estimate({eager}, 1e10).seconds / estimate({spec}, 1e10).seconds;
    };
    EXPECT_NEAR(times_as_long(), 1.5, 1e-9);
    spec.width = 384;
    spec.heads = 6;
    EXPECT_NEAR(times_as_long(), 1.083, 1e-3);
}

TEST(Estimate, TakesTheMemoryOfTheLargestCohort) {
    RunSpec small;
    RunSpec large;
    large.width = 256;
    const std::int64_t of_small = estimate({small}).bytes;
    const std::int64_t of_large = estimate({large}).bytes;
    EXPECT_GT(of_large, of_small);
    EXPECT_EQ(estimate({small, large}).bytes, of_large);
    EXPECT_GT(estimate({large, large}).bytes, of_large);
    EXPECT_LT(estimate({large, large}).bytes, 2 * of_large);  // the memory of LibTorch itself is counted once
}

TEST(Estimate, CountsDeviceMemoryOnCuda) {
    RunSpec spec;
    spec.device = Device::cuda;
    const auto need = device_need(spec, 2, likely_vocabulary(spec), spec.data_length);
    EXPECT_EQ(estimate({spec, spec}).bytes, static_cast<std::int64_t>(need.total()));
}

TEST(Estimate, ThetaPaperStepNeedsAboutOneTeraflop) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.evaluate_every = 1000000000;  // training without evaluations
    EXPECT_NEAR(operations_per_step(spec), 1.162e12, 0.1e12);
}

}  // namespace
}  // namespace ropelab
