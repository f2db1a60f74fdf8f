#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/experiment/experiment.h"
#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/source_file.h"

namespace ropelab {
namespace {

// Returns the arguments of a run that trains in about a second. Settings in `more` replace those of this run.
std::vector<std::string> small(const std::string& verb, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {verb};
    for (const char* setting : {"context=32", "batch=4", "iterations=20", "evaluate_every=10", "evaluation=sampled",
                                "evaluation_batches=2", "width=32", "precision=float32", "sample_length=0"}) {
        const std::string key = std::string(setting).substr(0, std::string(setting).find('=') + 1);
        const auto sets_it = [&](const std::string& other) { return other.starts_with(key); };
        if (std::none_of(more.begin(), more.end(), sets_it)) arguments.insert(arguments.end(), {"--set", setting});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(TrainVerb, TrainsOneRunAndPrintsItsResult) {
    const auto finished = ropelab_cli(small("train", {"--json"}));
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto runs = finished.json().at("runs");
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].at("theta"), 10000);
    EXPECT_EQ(runs[0].at("seed"), 1337);
    EXPECT_EQ(runs[0].at("state"), "finished");
    EXPECT_EQ(runs[0].at("chosen_precision"), "float32");
    for (const char* number : {"best_validation_loss", "final_validation_loss", "whole_validation_loss",
                               "final_training_loss", "seconds", "tokens_per_second"}) {
        EXPECT_GT(runs[0].at(number).get<double>(), 0) << number;
    }
    EXPECT_LT(runs[0].at("whole_validation_loss").get<double>(), std::log(29));  // better than a uniform distribution
}

TEST(TrainVerb, EachLossIsTheOneOfItsName) {
    const ScratchFolder folder;
    const std::string lab = (folder.path() / "a.ropelab").string();
    const auto finished = ropelab_cli(small("train", {"--lab", lab, "--json"}));
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto run = finished.json().at("runs").at(0);
    const auto evaluations = LabFile::open(lab, LabFile::Mode::read)->metrics(1).evaluations;
    ASSERT_FALSE(evaluations.training_loss.empty());
    EXPECT_DOUBLE_EQ(run.at("final_training_loss").get<double>(), evaluations.training_loss.back());
    EXPECT_DOUBLE_EQ(run.at("final_validation_loss").get<double>(), evaluations.validation_loss.back());
    EXPECT_DOUBLE_EQ(run.at("best_validation_loss").get<double>(),
                     *std::min_element(evaluations.validation_loss.begin(), evaluations.validation_loss.end()));
    EXPECT_NE(evaluations.training_loss.back(), evaluations.validation_loss.back());
    const auto results = ropelab_cli({"results", "--lab", lab, "--json"}).json().at("groups").at(0);
    for (const char* measure : {"final_training_loss", "final_validation_loss", "best_validation_loss"}) {
        EXPECT_DOUBLE_EQ(results.at(measure).at("mean").get<double>(), run.at(measure).get<double>()) << measure;
    }
}

TEST(TrainVerb, RunsOfACohortEqualSingleRuns) {
    const auto sweep = ropelab_cli(small("sweep", {"--set", "theta=500,10000", "--json"})).json().at("runs");
    ASSERT_EQ(sweep.size(), 2U);
    const auto single = ropelab_cli(small("train", {"--set", "theta=500", "--json"})).json().at("runs");
    EXPECT_EQ(sweep[0].at("whole_validation_loss"), single[0].at("whole_validation_loss"));
    EXPECT_NE(sweep[0].at("whole_validation_loss"), sweep[1].at("whole_validation_loss"));
    const auto text = ropelab_cli(small("sweep", {"--set", "theta=500,10000"}));
    EXPECT_THAT(text.out, testing::HasSubstr("\"tokens/s\" is the speed of all runs of a cohort"));
    EXPECT_THAT(text.err, testing::ContainsRegex("best validation loss [0-9.]+ \\(θ (500|10k), 100 %\\)"));
    const auto rounded = ropelab_cli({"sweep", "--set", "fraction=0.3,0.5", "--set", "seed=1..2", "--set", "width=64",
                                      "--set", "heads=2", "--plan"});
    EXPECT_EQ(rounded.err,
              "fraction=0.3 is 9.6 of 32 channels per head; whole pairs rotate, which are 10 channels (31 %).\n");
}

TEST(TrainVerb, MemoryIsCloseToThePrediction) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "The sanitizer's allocator uses additional memory.";
#endif
    for (const char* width : {"width=64", "width=256"}) {
        const auto finished =
            ropelab_cli({"train", "--set", width, "--set", "iterations=2", "--set", "data_length=100000", "--set",
                         "evaluation=sampled", "--set", "evaluation_batches=2", "--set", "sample_length=8", "--json"});
        ASSERT_EQ(finished.status, 0) << finished.err;
        const auto predicted = finished.json().at("predicted_memory_bytes").get<double>();
        const auto peak = finished.json().at("peak_memory_bytes").get<double>();
        EXPECT_NEAR(predicted, peak, 0.15 * peak) << width;
    }
}

TEST(TrainVerb, ReadsAnExperimentFile) {
    const ScratchFolder folder;
    const auto file = folder.write("e.json", R"({"name": "two", "fraction": [0, "2 ch"], "iterations": 5})");
    const auto runs = ropelab_cli(small("sweep", {"--experiment", file.string(), "--json"})).json().at("runs");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[1].at("fraction"), 2.0 / 16);
}

TEST(TrainVerb, SupportsZipAndExclude) {
    const auto plan = ropelab_cli({"sweep", "--set", "theta=500,10000", "--set", "context=64,128", "--set", "seed=1,2",
                                   "--zip", "theta,context", "--exclude", "theta=500,seed=2", "--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    const auto runs = plan.json().at("runs");
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].at("context"), 64);
    EXPECT_EQ(runs[2].at("theta"), 10000);
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "theta=500,1000", "--zip", "theta,seed"}), "seed has 1");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--zip", "theta,sed"}), "did you mean seed?");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--exclude", "theta=500"}), "matches no run");
}

TEST(TrainVerb, PlanPrintsRunsCohortsAndCost) {
    const auto plan = ropelab_cli({"sweep", "--preset", "theta-minute", "--set", "width=64,128", "--plan"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, testing::HasSubstr("Cohort 1: "));
    EXPECT_THAT(plan.out, testing::HasSubstr("in 2 cohorts: about "));
    EXPECT_THAT(plan.out, testing::HasSubstr("(estimated)"));
    EXPECT_THAT(plan.out, testing::HasSubstr("theta"));
    const auto json =
        ropelab_cli({"sweep", "--set", "theta=500,1000", "--set", "width=64,128", "--plan", "--json"}).json();
    EXPECT_EQ(json.at("differing"), nlohmann::json({"width", "theta"}));
    ASSERT_EQ(json.at("cohorts").size(), 2U);
    EXPECT_EQ(json.at("cohorts")[1].at("runs"), nlohmann::json({2, 3}));
    EXPECT_EQ(json.at("runs")[3].at("cohort"), 1);
    EXPECT_GT(json.at("seconds").get<double>(), 0);
    EXPECT_GT(json.at("memory_bytes").get<double>(), 0);
    EXPECT_FALSE(json.at("measured").get<bool>());
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plan", "--lab", "a.ropelab"}), "add --resume");
    EXPECT_EQ(ropelab_cli({"sweep", "--measure"}).status, 2);
}

// A plan rejects data that training would reject, but allows known data sets that are not downloaded yet.
TEST(TrainVerb, PlanReportsMissingData) {
    const ScratchFolder folder;
    const std::string file = folder.write("short.txt", "abc").string();
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plan", "--set", "data=" + (folder / "no.txt").string()}),
                     "There is no file");
    std::filesystem::create_directory(folder / "empty");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plan", "--set", "data=" + (folder / "empty").string()}),
                     "contains no text");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plan", "--set", "data=" + file}), "context");
    const std::string nowhere = "ROPELAB_DATA= XDG_CACHE_HOME=" + folder.path().string();
    const auto plan = ropelab_cli({"sweep", "--plan", "--set", "data=text8"}, "", nowhere);
    EXPECT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, testing::HasSubstr("1 run in 1 cohort: about "));
    EXPECT_THAT(plan.out,
                testing::HasSubstr("The experiment cannot start yet: text8 is not on this machine yet; get it with "));
    const auto json = ropelab_cli({"sweep", "--plan", "--json", "--set", "data=text8"}, "", nowhere).json();
    EXPECT_EQ(json.at("missing").size(), 1U);
}

TEST(TrainVerb, PlanReportsRunsThatTrainTheSameModel) {
    const std::vector<std::string> sweep = {"sweep", "--plan", "--set", "fraction=0,1", "--set", "theta=500,10k"};
    const auto plan = ropelab_cli(sweep);
    EXPECT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, testing::HasSubstr("1 of 4 runs trains the same model as another run"));
    auto as_json = sweep;
    as_json.push_back("--json");
    const auto same = ropelab_cli(as_json).json().at("same_models");
    ASSERT_EQ(same.at("exclude").size(), 1U);
    EXPECT_EQ(same.at("exclude")[0], nlohmann::json({{"fraction", "0"}, {"theta", "10000"}}));
    auto without = sweep;
    without.insert(without.end(), {"--exclude", "fraction=0,theta=10000"});
    EXPECT_THAT(ropelab_cli(without).out, testing::Not(testing::HasSubstr("same model")));
}

TEST(TrainVerb, PlanCanBeMeasured) {
    const auto measured = ropelab_cli(small("sweep", {"--set", "theta=500,1000", "--plan", "--measure", "--json"}));
    ASSERT_EQ(measured.status, 0) << measured.err;
    EXPECT_TRUE(measured.json().at("measured").get<bool>());
    ASSERT_EQ(measured.json().at("cohorts").size(), 1U);
    EXPECT_GT(measured.json().at("cohorts")[0].at("seconds").get<double>(), 0);
}

TEST(TrainVerb, RejectsBadInputWithOneSentenceBeforeTraining) {
    const ScratchFolder folder;
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "thta=500"}), "did you mean theta?");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "lr=1e-3"}), "did you mean learning_rate?");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "theta=10,000"}), "write thousands without a comma");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "seed=1-3"}), "the range is written seed=1..3.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--theta", "100,200"}), "write --set theta=100,200.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "theta=100,200"}), "write --set theta=100,200.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--seeds", "3"}), "write --set seed=1..3.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--batch-size=8"}), "write --set batch=8.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plam"}), "The command sweep has no option --plam; did you mean --plan?");
    EXPECT_BAD_INPUT(ropelab_cli({"resume"}), "did you mean sweep --resume?");
    EXPECT_BAD_INPUT(ropelab_cli({"xyzzy"}), "\"xyzzy\"; \"ropelab-cli --help\" lists all.");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "theta=1e3", "--set", "theta=500"}), "theta is set twice");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "symbols=bytes", "--set", "tokenizer=bytes"}),
                     "tokenizer is set twice");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "device=cpu", "--device", "cpu"}), "device is set twice");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--device", "cpu", "--device", "cpu"}),
                     "The option --device is given twice; give it once.");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--plan", "--json", "--json"}),
                     "The option --json is given twice; give it once.");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--experiment", "-"}, R"({"theta": 500, "seed": 1, "theta": 10000})"),
                     "names \"theta\" twice");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "dropout=nan"}), "finite");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "learning_rate=inf"}), "finite");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "theta=500,1000"}), "use the command \"sweep\"");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "theta=0"}), "theta is 0");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--preset", "lecture-hour"}), "lecture-minute");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "data=" + (folder / "none.txt").string()}), "none.txt");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--set", "data=" + folder.write("short.txt", "abc").string()}), "short");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--experiment", folder.write("e.json", "{").string()}), "e.json");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--experiment", "/none.json"}), "/none.json");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--device", "tpu"}), "auto, cpu, cuda");
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--lab", (folder / "no/folder/a.ropelab").string()}), "a.ropelab");
}

TEST(TrainVerb, HelpListsEveryPreset) {
    const std::string help = ropelab_cli({"sweep", "--help"}).out;
    for (const Preset& known : presets()) EXPECT_THAT(help, testing::HasSubstr(known.name));
}

TEST(TrainVerb, ReportsADivergedRunAsFailed) {
    const auto finished =
        ropelab_cli(small("train", {"--set", "learning_rate=10", "--set", "final_learning_rate=10", "--set", "warmup=0",
                                    "--set", "weight_decay=10", "--set", "iterations=100", "--json"}));
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.err, testing::HasSubstr("no longer a finite number"));
    EXPECT_EQ(finished.json().at("runs")[0].at("state"), "failed");
}

TEST(TrainVerb, ParsesNumbersInTheCLocale) {
    const auto german = ropelab_cli(small("train", {"--set", "fraction=0.25", "--json"}), "", "LC_ALL=de_DE.UTF-8");
    ASSERT_EQ(german.status, 0) << german.err;
    EXPECT_EQ(german.json().at("runs")[0].at("fraction"), 0.25);
    EXPECT_EQ(german.json().at("runs")[0].at("whole_validation_loss"),
              ropelab_cli(small("train", {"--set", "fraction=0.25", "--json"}))
                  .json()
                  .at("runs")[0]
                  .at("whole_validation_loss"));
}

// A job script of an earlier version resumes its lab with the experiment's file, in which settings have earlier names.
TEST(TrainVerb, ResumesAnEarlierLabWithItsOwnExperiment) {
    const ScratchFolder folder;
    const auto from = std::filesystem::path(source_file("tests/data/earlier_names.ropelab"));
    const auto lab = folder / "earlier.ropelab";
    std::filesystem::copy(from, lab);
    std::filesystem::copy(from.string() + ".checkpoints", lab.string() + ".checkpoints");
    const auto experiment =
        folder.write("experiment.json", LabFile::open(lab, LabFile::Mode::read)->experiments().at(0).description);
    const auto resumed =
        ropelab_cli({"sweep", "--experiment", experiment.string(), "--lab", lab.string(), "--resume", "--json"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(resumed.json().at("runs").size(), 4U);
    const auto same = ropelab_cli(
        {"sweep", "--experiment", experiment.string(), "--lab", lab.string(), "--resume", "--plan", "--json"});
    ASSERT_EQ(same.status, 0) << same.err;
    EXPECT_TRUE(same.json().at("runs").empty());
}

}  // namespace
}  // namespace ropelab
