#include "core/sweep/lab_growth.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/lab_results.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

RunSpec spec_of_length(std::int64_t iterations, std::int64_t decay_iterations) {
    RunSpec spec;
    spec.iterations = iterations;
    spec.decay_iterations = decay_iterations;
    return spec;
}

TEST(LabGrowth, ARangeStandsForItsWholeNumbers) {
    Experiment experiment;
    experiment.set_assignment("seed=1..3, 7,10..10");
    EXPECT_EQ(experiment.values("seed"), (std::vector<std::string>{"1", "2", "3", "7", "10"}));
    experiment.set_assignment("data=../text.txt");
    EXPECT_EQ(experiment.values("data"), (std::vector<std::string>{"../text.txt"}));
    EXPECT_MESSAGE(experiment.set_assignment("seed=2..1"), BadInput, "must ascend");
}

TEST(LabGrowth, OnlyAScheduleThatIsEqualUpToTheEndCanContinue) {
    EXPECT_EQ(why_not_continued(spec_of_length(2000, 2000), spec_of_length(4000, 2000)), "");
    EXPECT_EQ(why_not_continued(spec_of_length(2000, 0), spec_of_length(4000, 2000)), "");
    EXPECT_NE(why_not_continued(spec_of_length(2000, 0), spec_of_length(4000, 0)).find("ends at iteration 2000"),
              std::string::npos);
    EXPECT_NE(why_not_continued(spec_of_length(2000, 1500), spec_of_length(4000, 0)).find("ends at iteration 1500"),
              std::string::npos);
    RunSpec constant = spec_of_length(2000, 0);
    constant.final_learning_rate = constant.learning_rate;
    RunSpec longer = constant;
    longer.iterations = 4000;
    EXPECT_EQ(why_not_continued(constant, longer), "");
    EXPECT_EQ(why_not_continued(spec_of_length(100, 0), spec_of_length(4000, 0)), "") << "still in the warm-up";
    constant.theta_schedule = longer.theta_schedule = ThetaSchedule::linear;
    EXPECT_NE(why_not_continued(constant, longer).find("theta_schedule"), std::string::npos);
}

TEST(LabGrowth, RunsAreRecognisedByAllTheirSettings) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    Experiment experiment("first");
    experiment.set("theta", {"500", "10k"});
    plan_new_runs(*lab, experiment);

    Experiment named_default("second");
    named_default.set("theta", {"500", "10000", "20000", "2e4", "30000"});
    named_default.set("width", {"64"});  // the default
    EXPECT_FALSE(stores_experiment(*lab, named_default));
    const Growth growth = growth_of(*lab, named_default, false);
    EXPECT_EQ(growth.present, 2U);
    ASSERT_EQ(growth.added.size(), 2U) << "equal runs are added once";
    EXPECT_EQ(growth.added[0].spec.theta, 20000);
    EXPECT_EQ(growth.added[1].spec.theta, 30000);

    grow_lab(*lab, named_default, growth, folder.path());
    EXPECT_EQ(lab->runs().size(), 4U);
    EXPECT_EQ(lab->experiments().size(), 2U);
    EXPECT_TRUE(stores_experiment(*lab, named_default));
    EXPECT_EQ(remembered_data_dir(*lab), std::filesystem::absolute(folder.path()));
    EXPECT_TRUE(growth_of(*lab, named_default, false).added.empty());

    const auto runs = result_runs(*lab, lab_runs(*lab, {}), false);  // growing chose all experiments
    EXPECT_EQ(lab_runs(*lab, {}).experiments, 2U);
    EXPECT_EQ(runs.size(), 2U) << "those of the second experiment";
    EXPECT_EQ(origin_of(*lab, 1).look, 0);
    EXPECT_EQ(origin_of(*lab, 2).look, 2) << "it added runs when there were some";
    EXPECT_EQ(runs.back().look, 2);
}

}  // namespace
}  // namespace ropelab
