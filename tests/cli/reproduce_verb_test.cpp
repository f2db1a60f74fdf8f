// Tests of the command reproduce at smoke scale: runs of eight steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/reproduce/sheet_lab.h"
#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using testing::HasSubstr;
using testing::Not;

class ReproduceVerbTest : public testing::Test {
 protected:
    // No data set is on the disk, so short synthetic texts are used instead.
    Finished reproduce(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "reproduce");
        const bool has_scale = std::find(arguments.begin(), arguments.end(), "--scale") != arguments.end();
        if (!has_scale) arguments.insert(arguments.end(), {"--scale", "smoke"});
        return ropelab_cli(arguments, "", "ROPELAB_DATA= XDG_CACHE_HOME=" + folder_.path().string());
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "sheet.ropelab").string();
};

TEST_F(ReproduceVerbTest, ListsSheetsAndPrintsAPlanWithoutTraining) {
    const auto list = reproduce({"--list", "--json"});
    ASSERT_EQ(list.status, 0) << list.err;
    EXPECT_EQ(list.json().at("sheets").size(), 14U);
    EXPECT_THAT(reproduce({"--list"}).out, HasSubstr("nope-spikes"));
    const auto plan = reproduce({"theta-table-2", "--scale", "laptop", "--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    // two substitute data sets, six bases and a control, ten seeds
    EXPECT_EQ(plan.json().at("runs").size(), 140U);
    EXPECT_GT(plan.json().at("estimate").at("seconds"), 0);
    EXPECT_FALSE(plan.json().at("predictions").empty());
    EXPECT_THAT(reproduce({"partial-bands", "--plan"}).out, HasSubstr("Two one-sided tests"));
}

TEST_F(ReproduceVerbTest, TunesEveryGroupByTheSameSearch) {
    const auto plan = reproduce({"key-offset", "--tune-baselines", "--plan"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("tunes each of the 10 settings: its learning rate times 0.5, 1, 2 on 2 seeds that "
                                    "no row uses, 60 runs"));
    EXPECT_THAT(plan.out, Not(HasSubstr("tuned for none of them")));
    const auto tuned = reproduce({"key-offset", "--tune-baselines", "--lab", lab_, "--json"});
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    const auto rows = tuned.json().at("rows");
    EXPECT_EQ(rows.at(0).at("tuned"), true);
    EXPECT_THAT(rows.at(0).at("budget").get<std::string>(), HasSubstr("the same search tuned the learning rates"));
    EXPECT_EQ(LabFile::open((folder_ / "sheet-tuning.ropelab").string(), LabFile::Mode::read)->runs().size(), 60U);
    EXPECT_EQ(reproduce({"key-offset", "--tune-baselines", "--lab", lab_, "--json"}).json().at("rows"), rows);
    const std::string other = (folder_ / "other.ropelab").string();
    ASSERT_EQ(reproduce({"bpc", "--lab", other}).status, 0);
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", other, "--tune-baselines"}), "began without tuned groups");
}

TEST_F(ReproduceVerbTest, TrainsTestsAndResumesASheet) {
    const auto first = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(first.status, 0) << first.err;
    const auto rows = first.json().at("rows");
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].at("verdict"), "baseline");
    EXPECT_EQ(rows[1].at("position"), "rope");
    EXPECT_EQ(rows[1].at("measure"), "bits_per_character");
    EXPECT_EQ(rows[1].at("values").size(), 2U);
    EXPECT_EQ(rows[1].at("verdict"), "not testable");
    EXPECT_THAT(rows[1].at("words").get<std::string>(), HasSubstr("ropelab-cli data fetch enwik8"));
    EXPECT_EQ(first.json().at("claims").at(0).at("verdict"), "not testable");
    EXPECT_TRUE(rows[1].at("paper").is_null());
    EXPECT_THAT(first.json().at("notes").dump(), HasSubstr("enwik8 is not on disk"));
    {
        const auto lab = LabFile::open(lab_, LabFile::Mode::read);
        EXPECT_EQ(lab->documents(1).size(), 2U);
        EXPECT_EQ(lab->runs().size(), 8U);
    }
    // All runs are finished, so the command prints the same numbers again.
    const auto again = reproduce({"bpc", "--lab", lab_, "--resume", "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json(), first.json());
    // The other formats print the same rows.
    const auto latex = reproduce({"bpc", "--lab", lab_, "--resume", "--format", "latex"});
    ASSERT_EQ(latex.status, 0) << latex.err;
    EXPECT_THAT(latex.out, HasSubstr("\\begin{table}\n\\centering\n\\caption{"));
    EXPECT_THAT(latex.out, HasSubstr("\\label{tab:bpc-bits_per_character}\n"));
    const auto csv = reproduce({"bpc", "--lab", lab_, "--resume", "--format", "csv"});
    EXPECT_THAT(csv.out, testing::StartsWith("claim,measure,"));
    EXPECT_EQ(reproduce({"bpc", "--lab", lab_, "--resume", "--format", "json"}).json(), first.json());
    EXPECT_BAD_INPUT(reproduce({"bpc", "--format", "word"}), "text, csv, latex or json");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--plan", "--format", "csv"}), "--list and --plan print none");
    EXPECT_BAD_INPUT(reproduce({"theta-speed", "--lab", lab_}),
                     "belongs to the reproduction bpc at smoke scale, 2 seeds");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_, "--seeds", "3"}), "2 seeds");
}

// A lab with unfinished runs resumes and ends with the results of an undisturbed lab.
TEST_F(ReproduceVerbTest, ResumesUnfinishedRuns) {
    const auto undisturbed = reproduce({"bpc", "--json"});
    ASSERT_EQ(undisturbed.status, 0) << undisturbed.err;
    ASSERT_EQ(reproduce({"bpc", "--lab", lab_}).status, 0);
    {
        const auto lab = LabFile::open(lab_);
        std::vector<Event> cut;
        for (const RunId run : {3, 6}) {
            std::filesystem::remove(lab->checkpoint_path(run));
            cut.emplace_back(event::RunEnded{run, RunState::stopped, "", {}});
        }
        lab->record(cut);
    }
    const auto resumed = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(resumed.json().at("rows"), undisturbed.json().at("rows"));
}

// Returns a plan of the sheet bpc whose last setting diverges; if `all`, every setting diverges.
SheetPlan diverging_plan(bool all) {
    SheetPlan plan = sheet("bpc").plan({SheetScale::smoke, {}, {}});
    const auto setting = [](const char* position, bool diverges) {
        const std::string large = diverges ? "10" : "1e-3";
        return std::map<std::string, std::string>{{"position", position},
                                                  {"learning_rate", large},
                                                  {"final_learning_rate", large},
                                                  {"weight_decay", diverges ? "10" : "0.1"}};
    };
    plan.experiment.set("data", {"synthetic"});
    plan.experiment.set("iterations", {"100"});
    plan.experiment.set("evaluate_every", {"50"});
    plan.experiment.set("warmup", {"0"});
    plan.experiment.set_explicit_runs(
        {setting("learned", all), setting("rope", all), setting("learned+rope", all), setting("none", true)});
    return plan;
}

TEST_F(ReproduceVerbTest, ReportsDivergedRunsInTheResult) {
    enter_sheet(*LabFile::create(lab_), diverging_plan(false));
    const auto finished = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("2 of 8 runs failed. The loss is no longer a finite number"));
    const auto rows = finished.json().at("rows");
    ASSERT_EQ(rows.size(), 4U);
    for (const auto& row : rows) {
        const bool diverged = row.at("position") == "none";
        EXPECT_EQ(row.at("failed"), diverged ? 2 : 0) << row.dump();
        EXPECT_EQ(row.at("ours").at("n"), diverged ? 0 : 2) << row.dump();
    }
    // All runs have ended, so the command prints the same result again.
    const auto again = reproduce({"bpc", "--lab", lab_, "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json(), finished.json());
}

TEST_F(ReproduceVerbTest, FailsIfEveryRunFails) {
    enter_sheet(*LabFile::create(lab_), diverging_plan(true));
    const auto finished = reproduce({"bpc", "--lab", lab_, "--json"});
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr("8 of 8 runs failed"));
}

// A sheet only measures its own runs.
TEST_F(ReproduceVerbTest, IgnoresRunsMergedFromOtherLabs) {
    ASSERT_EQ(reproduce({"theta-table-3", "--lab", lab_}).status, 0);
    const std::string other = (folder_ / "other.ropelab").string();
    ASSERT_EQ(ropelab_cli({"train", "--lab", other, "--set", "data_length=20000", "--set", "iterations=4", "--set",
                           "width=32", "--set", "context=16", "--set", "position=learned"})
                  .status,
              0);
    {
        const auto lab = LabFile::open(lab_);
        lab->merge(other);
        std::filesystem::remove(lab->checkpoint_path(lab->runs().back().id));
    }
    const auto again = reproduce({"theta-table-3", "--lab", lab_});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("Claim 5: Generation"));
}

TEST_F(ReproduceVerbTest, TrainsSequentiallyIfTimesAreCompared) {
    const auto finished = reproduce({"theta-speed", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto json = finished.json();
    std::map<std::string, double> operations;  // operations of one training step, by implementation
    for (const auto& row : json.at("rows")) {
        EXPECT_EQ(row.at("values").size(), 2U) << row.dump();
        const double mean = row.at("ours").at("mean").get<double>();
        EXPECT_GT(mean, 0) << row.dump();
        if (row.at("measure") != "operations_per_training_step" || row.at("position") != "rope") continue;
        operations[row.value("operations", "") + (row.value("rope_cache", true) ? "" : ", no table")] = mean;
    }
    ASSERT_EQ(operations.size(), 4U);
    EXPECT_EQ(operations.at("fused, no table"), operations.at("fused") + 6);  // the sheet has one layer
    EXPECT_EQ(operations.at("eager, no table"), operations.at("eager") + 6);
    EXPECT_GT(operations.at("eager"), operations.at("fused"));
    EXPECT_THAT(reproduce({"theta-speed", "--plan"}).out, HasSubstr("Runs: 40, trained sequentially"));
}

TEST_F(ReproduceVerbTest, ReproducesThePartialRopePaper) {
    for (const char* name : {"nope-spikes", "partial-bands"}) {
        const auto finished = reproduce({name, "--json"});
        ASSERT_EQ(finished.status, 0) << finished.err;
        const auto json = finished.json();
        EXPECT_GT(json.at("rows").size(), 15U);
        for (const auto& row : json.at("rows")) {
            const bool is_published = row.at("measure") == "lambada_perplexity";  // shown next to our results
            EXPECT_EQ(row.at("values").size(), is_published ? 0U : 2U) << row.dump();
            EXPECT_NE(row.at("paper").is_null(), is_published) << row.dump();
            EXPECT_NE(row.at("verdict"), "unfinished") << row.dump();
        }
    }
}

TEST_F(ReproduceVerbTest, RejectsInvalidFlags) {
    EXPECT_BAD_INPUT(reproduce({}), "--list");
    EXPECT_BAD_INPUT(reproduce({"bcp"}), "did you mean bpc?");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--scale", "huge"}), "smoke, laptop or paper");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--seeds", "1"}), "between 2 and 1000");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--scale", "paper"}), "data fetch enwik8");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_, "--resume"}), "no lab");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--resume"}), "--lab");
    folder_.write("sheet.ropelab", "hello");
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_}), "sheet.ropelab");
    std::filesystem::remove(lab_);
    LabFile::create(lab_);
    EXPECT_BAD_INPUT(reproduce({"bpc", "--lab", lab_}), "contains no reproduction of a paper");
}

// A lab stores the predictions about a sweep before its first run; `results` scores them.
TEST_F(ReproduceVerbTest, ResultsScoreTheStoredPredictionsOfASweep) {
    ASSERT_EQ(ropelab_cli({"sweep",        "--lab",           lab_,
                           "--set",        "theta=500,10000", "--set",
                           "seed=1,2",     "--set",           "data_length=20000",
                           "--set",        "layers=1",        "--set",
                           "heads=1",      "--set",           "context=64",
                           "--set",        "batch=2",         "--set",
                           "iterations=4", "--set",           "sample_length=0"})
                  .status,
              0);
    const auto before = ropelab_cli({"results", "--lab", lab_});
    ASSERT_EQ(before.status, 0) << before.err;
    EXPECT_THAT(before.out, HasSubstr("Predictions (preregistered):"));
    EXPECT_THAT(before.out, HasSubstr("Not all runs that the prediction concerns have a value yet: 4"));
    EXPECT_THAT(before.out, HasSubstr("Add --measure"));
    const auto measured = ropelab_cli({"results", "--lab", lab_, "--measure", "--json"});
    ASSERT_EQ(measured.status, 0) << measured.err;
    const auto predictions = measured.json().at("predictions");
    ASSERT_EQ(predictions.size(), 2U);
    EXPECT_EQ(predictions[0].at("experiment"), 1);
    EXPECT_EQ(predictions[0].at("chance"), 1);  // B is not negative within 64 tokens: no group is predicted to collapse
    EXPECT_EQ(predictions[0].at("outcome"), "not scored");
    EXPECT_FALSE(predictions[0].at("earlier_rule"));
    // Two seeds may leave the second prediction undecided, which is not scored.
    EXPECT_EQ(measured.json().at("calibration").at("scored"), predictions[1].at("outcome") == "undecided" ? 0 : 1);
    EXPECT_THAT(predictions[0].at("outcome_words").get<std::string>(), Not(HasSubstr("Not all runs")));
    EXPECT_EQ(predictions[1].at("measure"), "extension_rise");
    EXPECT_NE(predictions[1].at("outcome"), "not scored");
    EXPECT_EQ(LabFile::open(lab_, LabFile::Mode::read)->measurements(1).count("extension_rise"), 1U);
}

}  // namespace
}  // namespace ropelab
