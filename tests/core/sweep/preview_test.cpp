#include "core/sweep/preview.h"

#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "core/forecast/estimate.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

Preview two_widths() {
    Experiment experiment;
    experiment.set("width", {"64", "128"});
    experiment.set("theta", {"500", "10k"});
    return preview(experiment.expand());
}

TEST(Preview, ListsDifferingSettingsAndCohorts) {
    const Preview plan = two_widths();
    EXPECT_EQ(plan.differing, (std::vector<std::string>{"width", "theta"}));
    ASSERT_EQ(plan.cohorts.size(), 2U);
    EXPECT_EQ(plan.cohorts[0].runs, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(plan.cohorts[1].runs, (std::vector<std::size_t>{2, 3}));
    const auto cohorts = plan.cohort_runs();
    ASSERT_EQ(cohorts.size(), 2U);
    EXPECT_EQ(cohorts[1][0].width, 128);
}

TEST(Preview, ReportsThatTheCohortWidthWillBeMeasured) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("context", {"56"});  // a shape that no other test measures
    EXPECT_EQ(preview(experiment.expand()).cohorts[0].width,
              "A few training steps are timed first to choose how many runs train as one batch.");
    experiment.set("iterations", {"100"});
    EXPECT_EQ(preview(experiment.expand()).cohorts[0].width, "");
}

TEST(Preview, ReportsMissingDataSets) {
    const ScratchFolder folder;
    Experiment experiment;
    experiment.set("data", {"synthetic", "text8", (folder / "no.txt").string()});
    experiment.set("theta", {"500", "10k"});
    const Preview plan = preview(experiment.expand(), folder.path());
    ASSERT_EQ(plan.missing.size(), 2U);
    EXPECT_NE(plan.missing[0].find("ropelab-cli data fetch text8"), std::string::npos);
    EXPECT_EQ(plan.missing[1].find("There is no file '"), 0U);
    folder.write("text8.first-1000-bytes", std::string(1000, 'a'));
    folder.write("no.txt", "now it is there");
    EXPECT_TRUE(preview(experiment.expand(), folder.path()).missing.empty());
    EXPECT_TRUE(two_widths().missing.empty());
}

TEST(Preview, ReportsRunsThatTrainTheSameModel) {
    Experiment experiment;
    experiment.set("position", {"none"});
    experiment.set("theta", {"500", "10k"});
    EXPECT_EQ(preview(experiment.expand()).same.runs, (std::vector<std::size_t>{1}));
    EXPECT_TRUE(two_widths().same.runs.empty());
}

TEST(Preview, AddsTimesAndTakesTheMaximumOfMemory) {
    const Preview plan = two_widths();
    const Estimate whole = estimate(plan.runs);
    EXPECT_NEAR(plan.seconds(), whole.seconds, 1e-9 * whole.seconds);
    EXPECT_EQ(plan.bytes(), whole.bytes);
    // Only the first cohort loads the engine.
    EXPECT_EQ(plan.cohorts[0].cost.seconds, estimate(plan.cohort_runs()[0]).seconds);
    EXPECT_LT(plan.cohorts[0].cost.bytes, plan.cohorts[1].cost.bytes);
    EXPECT_FALSE(plan.measured());
}

TEST(Preview, MeasurementReplacesTheEstimate) {
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
    plan.take({1, 20, 0, {}, ""});  // a device that does not report its memory
    EXPECT_EQ(plan.cohorts[1].cost.bytes, before.cohorts[1].cost.bytes);
    EXPECT_EQ(plan.cohorts[1].problem, "");
    EXPECT_TRUE(plan.measured());
    EXPECT_EQ(plan.seconds(), 32.5);
}

}  // namespace
}  // namespace ropelab
