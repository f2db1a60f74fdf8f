#include "core/experiment/preview.h"

#include <gtest/gtest.h>

#include "core/experiment/estimate.h"
#include "core/experiment/experiment.h"

namespace ropelab {
namespace {

Preview two_widths() {
    Experiment experiment;
    experiment.set("width", {"64", "128"});
    experiment.set("theta", {"500", "10k"});
    return preview(experiment.expand());
}

TEST(Preview, TellsWhatDiffersAndHowRunsGroup) {
    const Preview plan = two_widths();
    EXPECT_EQ(plan.differing, (std::vector<std::string>{"width", "theta"}));
    ASSERT_EQ(plan.cohorts.size(), 2U);
    EXPECT_EQ(plan.cohorts[0].runs, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(plan.cohorts[1].runs, (std::vector<std::size_t>{2, 3}));
    const auto cohorts = plan.cohort_runs();
    ASSERT_EQ(cohorts.size(), 2U);
    EXPECT_EQ(cohorts[1][0].width, 128);
}

TEST(Preview, TellsWhereAMeasurementWillSettleTheWidth) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("context", {"56"});  // a shape that no other test times
    EXPECT_EQ(preview(experiment.expand()).cohorts[0].width,
              "A few steps are timed first, to see how many train fastest at a time.");
    experiment.set("iterations", {"100"});
    EXPECT_EQ(preview(experiment.expand()).cohorts[0].width, "");
}

TEST(Preview, CostsAddUpInTimeAndNotInMemory) {
    const Preview plan = two_widths();
    const Estimate whole = estimate(plan.runs);
    EXPECT_NEAR(plan.seconds(), whole.seconds, 1e-9 * whole.seconds);
    EXPECT_EQ(plan.bytes(), whole.bytes);
    EXPECT_LT(plan.cohorts[0].cost.bytes, plan.cohorts[1].cost.bytes);
    EXPECT_FALSE(plan.measured());
}

TEST(Preview, AMeasurementStandsInThePlaceOfTheEstimate) {
    Preview plan = two_widths();
    const Preview before = plan;
    plan.take({0, 12.5, 7'000'000, {}, ""});
    plan.take({1, 0, 0, {}, "There is no such text."});
    EXPECT_EQ(plan.cohorts[0].cost.seconds, 12.5);
    EXPECT_EQ(plan.cohorts[0].cost.bytes, 7'000'000);
    EXPECT_TRUE(plan.cohorts[0].measured);
    EXPECT_EQ(plan.cohorts[1].problem, "There is no such text.");
    EXPECT_EQ(plan.cohorts[1].cost.seconds, before.cohorts[1].cost.seconds);
    EXPECT_FALSE(plan.measured());
    plan.take({1, 20, 0, {}, ""});  // a device whose memory is not told
    EXPECT_EQ(plan.cohorts[1].cost.bytes, before.cohorts[1].cost.bytes);
    EXPECT_EQ(plan.cohorts[1].problem, "");
    EXPECT_TRUE(plan.measured());
    EXPECT_EQ(plan.seconds(), 32.5);
}

}  // namespace
}  // namespace ropelab
