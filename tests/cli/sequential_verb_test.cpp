// Tests of sweep --until-decided and reproduce --sequential.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class SequentialVerbTest : public testing::Test {
 protected:
    Finished sweep(std::vector<std::string> more) {
        std::vector<std::string> arguments = {"sweep"};
        for (const char* setting :
             {"context=32", "batch=4", "iterations=20", "evaluate_every=20", "width=32", "evaluation=sampled",
              "evaluation_batches=2", "precision=float32", "sample_length=0", "final_learning_rate=0"})
            arguments.insert(arguments.end(), {"--set", setting});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    std::map<std::string, std::set<std::string>> seeds_by_setting() const {
        std::map<std::string, std::set<std::string>> seeds;
        for (const RunRecord& run : LabFile::open(lab_, LabFile::Mode::read)->runs()) {
            const auto settings = nlohmann::json::parse(run.settings);
            seeds[settings.at("learning_rate").dump()].insert(settings.at("seed").dump());
        }
        return seeds;
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(SequentialVerbTest, TrainsSeedsInOrderUntilTheComparisonIsSettled) {
    const auto finished = sweep({"--lab", lab_, "--set", "learning_rate=1e-6,1e-2", "--set", "seed=5",
                                 "--until-decided", "--max-seeds", "8", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto comparison = finished.json().at("comparisons").at(0);
    EXPECT_EQ(comparison.at("stopped"), "settled");
    const auto used = comparison.at("seeds_used").get<std::int64_t>();
    EXPECT_LT(used, 8);
    std::set<std::string> expected;
    for (std::int64_t seed = 5; seed < 5 + used; ++seed) expected.insert(std::to_string(seed));
    for (const auto& [setting, seeds] : seeds_by_setting()) EXPECT_EQ(seeds, expected) << setting;
    EXPECT_THAT(finished.err, HasSubstr("2 runs added for the next look."));

    const auto runs_before = finished.json().at("runs").size();
    const auto again = ropelab_cli({"sweep", "--lab", lab_, "--resume", "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json().at("runs").size(), runs_before);
    EXPECT_EQ(again.json().at("comparisons"), finished.json().at("comparisons"));
    const auto results = ropelab_cli({"results", "--lab", lab_, "--columns", "full"});
    EXPECT_THAT(results.out, HasSubstr("Stopping rule, fixed before the first run"));
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--lab", lab_, "--resume", "--set", "seed=1..20"}),
                     "keeps the stopping rule that it began with");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--lab", lab_, "--resume", "--until-decided"}), "keeps the stopping rule");
}

TEST_F(SequentialVerbTest, LooksMakeGroupSequentialTests) {
    const auto finished =
        sweep({"--lab", lab_, "--set", "learning_rate=1e-6,1e-2", "--until-decided", "--looks", "3,5", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto comparison = finished.json().at("comparisons").at(0);
    EXPECT_EQ(comparison.at("stopped"), "settled");
    EXPECT_TRUE(comparison.at("e_value").is_null());
    EXPECT_LE(comparison.at("looks").get<int>(), 2);
}

TEST_F(SequentialVerbTest, ATargetLossIsReachedOnSeedsThatChoseNothing) {
    const std::string tuning = (folder_ / "tuning.ropelab").string();
    ASSERT_EQ(sweep({"--lab", tuning, "--set", "learning_rate=1e-3,1e-2", "--set", "seed=1,2"}).status, 0);
    const std::vector<std::string> to_target = {"--until-decided", "--set", "learning_rate=1e-2", "--set", "seed=1",
                                                "--tuned-in",      tuning,  "--target-loss"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), to_target.begin(), to_target.end());
        return sweep(more);
    };
    const auto finished = with({"20", "--target-error", "0.01", "--lab", lab_, "--max-seeds", "8", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto comparison = finished.json().at("comparisons").at(0);
    EXPECT_EQ(comparison.at("stopped"), "below the target");
    const auto target = comparison.at("target");
    EXPECT_EQ(target.at("tuning_seeds"), nlohmann::json({1, 2}));
    EXPECT_LT(target.at("mean").get<double>(), target.at("upper_bound").get<double>());
    EXPECT_LT(target.at("upper_bound").get<double>(), 20);
    EXPECT_EQ(target.at("iterations"), 20);
    std::set<std::string> expected;
    for (int seed = 3; seed < 3 + target.at("seeds_used").get<int>(); ++seed) expected.insert(std::to_string(seed));
    for (const auto& [setting, seeds] : seeds_by_setting()) EXPECT_EQ(seeds, expected);
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_}).out, HasSubstr("Below the target on this text"));
    const auto plan = with({"2", "--plan"});
    EXPECT_THAT(plan.out, HasSubstr("distance of the mean below the target, in standard deviations of the seeds"));
    EXPECT_BAD_INPUT(with({"0", "--lab", lab_ + "2"}), "must be a positive number of nats");
    EXPECT_BAD_INPUT(with({"2", "--target-error", "0.7", "--lab", lab_ + "2"}), "below 0.5");
}

TEST_F(SequentialVerbTest, PlansTheFirstLookWithItsPower) {
    const auto plan = sweep({"--set", "theta=100,10000", "--until-decided", "--max-seeds", "10", "--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_EQ(plan.json().at("runs").size(), 6U) << "three seeds of two settings";
    EXPECT_GT(plan.json().at("power").at("effects").at(3).at("settled").get<double>(), 0.9);
    const auto fixed =
        sweep({"--set", "theta=100,10000", "--set", "seed=1..10", "--plan", "--paired-sd", "0.01", "--json"});
    ASSERT_EQ(fixed.status, 0) << fixed.err;
    // R 4.2: power.t.test(n = 10, sd = 1, power = 0.8, type = "paired") gives delta = 0.996.
    EXPECT_NEAR(fixed.json().at("power").at("detectable_deviations").get<double>(), 0.996, 1e-3);
    EXPECT_NEAR(fixed.json().at("power").at("detectable").get<double>(), 0.00996, 1e-5);
}

TEST_F(SequentialVerbTest, RefusesBadInput) {
    EXPECT_BAD_INPUT(sweep({"--set", "theta=100,10000", "--until-decided"}), "needs a lab file");
    EXPECT_BAD_INPUT(sweep({"--lab", lab_, "--set", "theta=100", "--until-decided"}), "at least two");
    EXPECT_BAD_INPUT(sweep({"--lab", lab_, "--set", "theta=100,200", "--until-decided", "--max-seeds", "2"}),
                     "from 3 to 10,000");
    EXPECT_BAD_INPUT(sweep({"--lab", lab_, "--set", "theta=100,200", "--until-decided", "--looks", "4,5,5"}),
                     "ascending order");
    EXPECT_BAD_INPUT(
        sweep({"--lab", lab_, "--set", "theta=100,200", "--set", "seed=1..9", "--until-decided", "--max-seeds", "5"}),
        "lists 9 seeds");
}

TEST_F(SequentialVerbTest, ASheetStopsByItsRule) {
    SKIP_WITHOUT_SHARED_DATA("text/tinyshakespeare.txt");
    const std::vector<std::string> command = {
        "reproduce", "theta-table-3", "--scale", "smoke", "--data-dir", shared_data("text").string(), "--lab",
        lab_,        "--json"};
    std::vector<std::string> sequential = command;
    sequential.insert(sequential.end(), {"--sequential", "--max-seeds", "4"});
    const auto finished = ropelab_cli(sequential);
    ASSERT_EQ(finished.status, 0) << finished.err;
    int rows = 0;
    const auto sheet = finished.json();
    for (const auto& row : sheet.at("rows")) {
        if (!row.contains("sequential")) continue;
        ++rows;
        EXPECT_NE(row.at("sequential").at("stopped"), "open");
        EXPECT_LE(row.at("sequential").at("seeds_used").get<int>(), 4);
    }
    EXPECT_GT(rows, 0);
    EXPECT_THAT(sheet.at("notes").dump(), HasSubstr("Stopping rule"));
    const auto again = ropelab_cli(command);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json().at("rows"), sheet.at("rows"));
}

}  // namespace
}  // namespace ropelab
