// Tests of sweep --search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/experiment/halving.h"
#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class SearchVerbTest : public testing::Test {
 protected:
    Finished sweep(std::vector<std::string> more, bool with_lab = true) {
        std::vector<std::string> arguments = {"sweep"};
        if (with_lab) arguments.insert(arguments.end(), {"--lab", lab_});
        for (const char* setting :
             {"context=32", "batch=4", "iterations=40", "evaluate_every=5", "width=32", "evaluation=sampled",
              "evaluation_batches=2", "precision=float32", "sample_length=0", "warmup=2", "final_learning_rate=0"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    std::unique_ptr<LabFile> lab() const { return LabFile::open(lab_, LabFile::Mode::read); }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(SearchVerbTest, PlansTheSameSamplesEachTime) {
    const std::vector<std::string> search = {
        "--set", "learning_rate=1e-4..1e-2 log", "--search", "sobol", "--samples", "4", "--set", "seed=1,2", "--plan",
        "--json"};
    const auto first = sweep(search, false);
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.json().at("runs").size(), 8U);
    EXPECT_EQ(sweep(search, false).json().at("runs"), first.json().at("runs"));
    auto other = search;
    other.insert(other.end(), {"--search-seed", "2"});
    EXPECT_NE(sweep(other, false).json().at("runs"), first.json().at("runs"));
}

TEST_F(SearchVerbTest, MoreSamplesExtendTheLab) {
    const std::vector<std::string> range = {"--set", "learning_rate=1e-4..1e-2 log", "--search", "random"};
    auto few = range;
    few.insert(few.end(), {"--samples", "2"});
    ASSERT_EQ(sweep(few).status, 0);
    std::vector<std::string> more = {"sweep", "--lab", lab_, "--resume", "--samples", "3", "--json"};
    more.insert(more.end(), range.begin(), range.end());
    const auto extended = ropelab_cli(more);
    ASSERT_EQ(extended.status, 0) << extended.err;
    EXPECT_THAT(extended.err, testing::HasSubstr("The lab file has 2 of the experiment's 3 runs; 1 run added."));
    EXPECT_EQ(lab()->runs().size(), 3U);
    EXPECT_THAT(lab()->documents(1).at(0).text + lab()->documents(2).back().text, testing::HasSubstr("random"));
}

TEST_F(SearchVerbTest, HalvingStopsTheWorseHalfAtEachRung) {
    const std::vector<std::string> search = {"--search", "halving", "--set", "learning_rate=1e-6,1e-4,1e-3,1e-2",
                                             "--set",    "seed=1,2"};
    const auto finished = sweep(search);
    ASSERT_EQ(finished.status, 0) << finished.err;
    std::map<std::int64_t, int> iterations;
    for (const RunRecord& run : lab()->runs()) {
        ++iterations[run.iteration];
        EXPECT_EQ(run.state == RunState::stopped, stopped_at_rung(run).has_value()) << run.message;
    }
    EXPECT_EQ(iterations, (std::map<std::int64_t, int>{{5, 4}, {10, 2}, {40, 2}}))
        << "two seeds of 4, 2 and 1 settings";
    // The surviving runs have the curves of a sweep without halving.
    const auto survivor = [&] {
        for (const RunRecord& run : lab()->runs()) {
            if (run.state == RunState::finished) return run;
        }
        return RunRecord{};
    }();
    const auto with = lab()->metrics(survivor.id).steps.training_loss;
    const std::int64_t runs_before = static_cast<std::int64_t>(lab()->runs().size());
    const auto again = ropelab_cli({"sweep", "--lab", lab_, "--resume", "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(static_cast<std::int64_t>(lab()->runs().size()), runs_before);
    std::map<std::int64_t, int> later;
    for (const RunRecord& run : lab()->runs()) ++later[run.iteration];
    EXPECT_EQ(later, iterations) << "stopped runs are not resumed";
    EXPECT_BAD_INPUT(
        ropelab_cli({"sweep", "--lab", lab_, "--resume", "--search", "halving", "--set", "theta=100,1000"}),
        "cannot extend the lab file");
    lab_ = (folder_ / "plain.ropelab").string();
    ASSERT_EQ(sweep({"--set", "learning_rate=1e-6,1e-4,1e-3,1e-2", "--set", "seed=1,2"}).status, 0);
    EXPECT_EQ(lab()->metrics(survivor.id).steps.training_loss, with);
}

TEST_F(SearchVerbTest, RejectsBadInput) {
    EXPECT_BAD_INPUT(sweep({"--search", "bayes"}, false), "random, sobol or halving");
    EXPECT_BAD_INPUT(sweep({"--search", "sobol"}, false), "needs a range");
    EXPECT_BAD_INPUT(sweep({"--search", "sobol", "--samples", "0", "--set", "theta=100..200"}, false),
                     "from 1 to 10000");
    EXPECT_BAD_INPUT(sweep({"--search", "random", "--set", "theta=9..2"}, false), "must ascend");
    EXPECT_BAD_INPUT(sweep({"--set", "theta=100..200"}, false), "add --search");
    EXPECT_BAD_INPUT(sweep({"--search", "halving", "--set", "theta=100,1000", "--first-rung", "7"}, false),
                     "multiple of evaluate_every");
    EXPECT_EQ(sweep({"--samples", "4"}, false).status, 2);
}

}  // namespace
}  // namespace ropelab
