// Tests of sweep --resume with more seeds, values or iterations than the lab has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/store/lab_file.h"
#include "core/sweep/lab_growth.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class LabGrowthVerbTest : public testing::Test {
 protected:
    Finished create(std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {"sweep", "--lab", lab_, "--set", "context=32"};
        for (const char* setting :
             {"batch=4", "iterations=20", "evaluate_every=10", "evaluation=sampled", "width=32", "evaluation_batches=2",
              "theta=500,10000", "precision=float32", "sample_length=0", "decay_iterations=15", "warmup=2", "seed=1"}) {
            // A setting may be given only once, so that those of `more` replace these.
            const std::string key = std::string(setting).substr(0, std::string(setting).find('=') + 1);
            const auto sets_it = [&](const std::string& other) { return other.starts_with(key); };
            if (std::none_of(more.begin(), more.end(), sets_it)) {
                arguments.insert(arguments.end(), {"--set", setting});
            }
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    Finished resume(std::vector<std::string> more) {
        std::vector<std::string> arguments = {"sweep", "--lab", lab_, "--resume", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    // Returns all numbers of a run's curves.
    std::vector<std::vector<double>> curves(RunId id) const {
        const RunMetrics metrics = LabFile::open(lab_, LabFile::Mode::read)->metrics(id);
        return {metrics.steps.training_loss, metrics.steps.gradient_norm, metrics.evaluations.validation_loss};
    }
    std::vector<RunRecord> runs() const { return LabFile::open(lab_, LabFile::Mode::read)->runs(); }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(LabGrowthVerbTest, MoreSeedsAddOnlyTheMissingRuns) {
    ASSERT_EQ(create().status, 0);
    const auto before = curves(1);
    const auto summary = runs().at(0).summary;
    const auto grown = resume({"--set", "seed=1..3"});
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_EQ(grown.json().at("runs").size(), 6U);
    EXPECT_THAT(grown.err, testing::HasSubstr("The lab file has 2 of the experiment's 6 runs; 4 runs added."));
    EXPECT_EQ(curves(1), before);
    EXPECT_EQ(runs().at(0).summary->seconds, summary->seconds) << "the run was not trained again";
    for (const RunRecord& run : runs()) EXPECT_EQ(run.state, RunState::finished);
    EXPECT_EQ(LabFile::open(lab_, LabFile::Mode::read)->experiments().size(), 2U);
    EXPECT_THAT(runs().at(2).name, testing::HasSubstr("seed 2"));
    for (const auto& group : ropelab_cli({"results", "--lab", lab_, "--json"}).json().at("groups")) {
        EXPECT_EQ(group.at("n"), 3) << "results show the added runs together with those that the lab had";
    }

    const auto again = resume({"--set", "seed=1..3"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(runs().size(), 6U);
    EXPECT_EQ(LabFile::open(lab_, LabFile::Mode::read)->experiments().size(), 2U);
}

TEST_F(LabGrowthVerbTest, MoreIterationsContinueFromCopiesOfTheCheckpoints) {
    ASSERT_EQ(create({"--set", "theta=500", "--set", "iterations=25"}).status, 0);
    const auto before = curves(1);
    const auto grown = resume({"--set", "iterations=40"});
    ASSERT_EQ(grown.status, 0) << grown.err;
    EXPECT_THAT(grown.err, testing::HasSubstr("1 of them continuing from checkpoints of shorter runs"));
    EXPECT_THAT(grown.err, testing::HasSubstr("Resumed: 1 run from step 25.\n"));
    EXPECT_EQ(curves(1), before);
    const std::string continued = lab_;
    const auto longer = curves(2);
    EXPECT_EQ(longer[0].size(), 40U);
    EXPECT_EQ(longer[2].size(), 5U) << "the evaluation at the end of the shorter run is not part of the longer run";

    lab_ = (folder_ / "whole.ropelab").string();
    ASSERT_EQ(create({"--set", "theta=500", "--set", "iterations=40"}).status, 0);
    EXPECT_EQ(curves(1), longer) << "equal to training without the interruption";
    const auto whole = runs().at(0).summary;
    lab_ = continued;
    EXPECT_EQ(runs().at(1).summary->best_validation_loss, whole->best_validation_loss);
    EXPECT_EQ(runs().at(1).summary->whole_validation_loss, whole->whole_validation_loss);
}

// The evaluation at the end of the shorter run, at iteration 25, is none of the longer run, although it is the best
// one; of equal evaluations the first one counts.
TEST_F(LabGrowthVerbTest, TheBestLossIsThatOfTheEvaluationsWhichRemain) {
    ASSERT_EQ(create({"--set", "theta=500", "--set", "iterations=25"}).status, 0);
    const auto lab = LabFile::open(lab_);
    lab->record(std::vector<Event>{event::Evaluated{1, 0, 4.5, 4.0}, event::Evaluated{1, 10, 3.5, 3.0},
                                   event::Evaluated{1, 20, 2.5, 3.0}, event::Evaluated{1, 25, 1.5, 1.0}});
    Experiment longer = *newest_experiment(*lab);
    longer.set("iterations", {"40"});
    const Growth growth = growth_of(*lab, longer, false);
    ASSERT_EQ(growth.added.size(), 1U);
    grow_lab(*lab, longer, growth, {});
    const RunSummary summary = *lab->run(2).summary;
    EXPECT_EQ(summary.best_validation_loss, 3);
    EXPECT_EQ(summary.best_iteration, 10);
    EXPECT_EQ(summary.final_validation_loss, 3);
    EXPECT_EQ(summary.final_training_loss, 2.5);
    EXPECT_EQ(summary.whole_validation_loss, std::nullopt);
}

// Runs that were stopped can continue; one that failed cannot be trusted.
TEST_F(LabGrowthVerbTest, OnlyFinishedAndStoppedRunsContinue) {
    ASSERT_EQ(create({"--set", "theta=500"}).status, 0);
    const auto lab = LabFile::open(lab_);
    Experiment longer = *newest_experiment(*lab);
    longer.set("iterations", {"40"});
    for (const auto& [state, continues] : {std::pair(RunState::finished, true), std::pair(RunState::stopped, true),
                                           std::pair(RunState::failed, false)}) {
        lab->record(std::vector<Event>{event::RunEnded{1, state, "", *lab->run(1).summary}});
        const Growth growth = growth_of(*lab, longer, false);
        ASSERT_EQ(growth.added.size(), 1U);
        EXPECT_EQ(growth.added[0].continues.has_value(), continues) << to_string(state);
        EXPECT_EQ(growth.added[0].iteration, continues ? 20 : 0);
    }
}

TEST_F(LabGrowthVerbTest, AScheduleThatHasEndedIsNotContinued) {
    ASSERT_EQ(create({"--set", "theta=500", "--set", "decay_iterations=0"}).status, 0);
    EXPECT_BAD_INPUT(resume({"--set", "iterations=40"}),
                     "because its learning rate schedule ends at iteration 20; extend it with decay_iterations=20");
    EXPECT_EQ(runs().size(), 1U);
    const auto extended = resume({"--set", "iterations=40", "--set", "decay_iterations=20"});
    ASSERT_EQ(extended.status, 0) << extended.err;
    EXPECT_EQ(runs().at(1).iteration, 40);
    const auto anew = resume({"--set", "iterations=40", "--set", "decay_iterations=0", "--anew"});
    ASSERT_EQ(anew.status, 0) << anew.err;
    EXPECT_THAT(anew.err, testing::Not(testing::HasSubstr("checkpoints of shorter runs")));
    EXPECT_NE(curves(3)[0], curves(2)[0]);
}

TEST_F(LabGrowthVerbTest, PlanPrintsWhatResumeWouldTrain) {
    const auto first = create({"--plan", "--resume", "--json"});
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.json().at("runs").size(), 2U) << "the lab does not exist yet";
    EXPECT_BAD_INPUT(resume({}), "There is no lab file");
    EXPECT_BAD_INPUT(resume({"--plan"}), "There is no lab file");
    ASSERT_EQ(create().status, 0);
    const auto finished = resume({"--plan"});
    EXPECT_TRUE(finished.json().at("runs").empty());
    EXPECT_EQ(finished.json().at("words"), "Every run of the lab file has ended. No run would be trained.");
    const auto plan = resume({"--plan", "--set", "seed=1,2", "--set", "iterations=20,40"}).json();
    EXPECT_EQ(
        plan.at("words"),
        "Every run of the lab file has ended. The lab file has 2 of the experiment's 8 runs; 6 runs added, 2 of "
        "them continuing from checkpoints of shorter runs. If you looked at the results, tests with more seeds are "
        "a second look, for which p is not corrected.");
    ASSERT_EQ(plan.at("runs").size(), 6U);
    for (const auto& run : plan.at("runs")) {
        EXPECT_EQ(run.at("resumes_from"), run.at("seed") == 1 ? 20 : 0) << run.dump();
    }
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(LabGrowthVerbTest, ALabRemembersItsDataFolder) {
    for (const char* data : {"a", "b"}) std::filesystem::create_directory(folder_ / data);
    folder_.write("a/text8", small_text(6000));
    folder_.write("b/text8", small_text(5000));
    const std::string nowhere = "ROPELAB_DATA= XDG_CACHE_HOME=" + folder_.path().string();
    const auto created = create({"--set", "data=text8", "--data-dir", (folder_ / "a").string()});
    ASSERT_EQ(created.status, 0) << created.err;
    const auto grown = ropelab_cli({"sweep", "--lab", lab_, "--resume", "--set", "seed=1,2"}, "", nowhere);
    EXPECT_EQ(grown.status, 0) << grown.err;
    EXPECT_EQ(runs().size(), 4U);
    EXPECT_BAD_INPUT(resume({"--set", "seed=1..3", "--data-dir", (folder_ / "b").string()}), "5,000 bytes");
    EXPECT_EQ(runs().size(), 4U) << "nothing is added if the data has changed";
}

TEST_F(LabGrowthVerbTest, TrainAddsOneRun) {
    ASSERT_EQ(create({"--set", "theta=500"}).status, 0);
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--lab", lab_, "--resume", "--set", "seed=1..3"}),
                     "use the command \"sweep\"");
    const auto one = ropelab_cli({"train", "--lab", lab_, "--resume", "--set", "seed=1,2"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(LabGrowthVerbTest, AReproductionSheetIsNotExtended) {
    const auto sheet = ropelab_cli({"reproduce", "bpc", "--scale", "smoke", "--lab", lab_, "--json"}, "",
                                   "ROPELAB_DATA= XDG_CACHE_HOME=" + folder_.path().string());
    ASSERT_EQ(sheet.status, 0) << sheet.err;
    EXPECT_BAD_INPUT(resume({"--set", "seed=1..9"}), "contains the reproduction of a paper");
}

TEST_F(LabGrowthVerbTest, RangesMustAscendAndBeWhole) {
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "seed=3..1"}), "must ascend");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "seed=1..99999"}), "at most 10000 numbers");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "seed=1..b"}), "b");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "theta=1..10"}), "not a setting of whole numbers");
}

}  // namespace
}  // namespace ropelab
