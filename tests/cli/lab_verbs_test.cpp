// Tests of the commands that use a lab file: sweep --lab and --resume, sample, results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/experiment/experiment.h"
#include "core/experiment/setting_names.h"
#include "core/results/run_selection.h"
#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"
#include "core/store/sqlite.h"
#include "core/sweep/stored_run.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class LabVerbsTest : public testing::Test {
 protected:
    static std::vector<std::string> sweep_arguments() {
        std::vector<std::string> arguments = {"sweep", "--set", "context=32"};
        for (const char* setting : {"batch=4", "iterations=20", "evaluate_every=10", "evaluation=sampled", "width=32",
                                    "evaluation_batches=2", "theta=500,10000", "seed=1,2", "precision=float32"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        return arguments;
    }
    Finished sweep(const std::vector<std::string>& more) {
        std::vector<std::string> arguments = sweep_arguments();
        arguments.insert(arguments.end(), {"--lab", lab_});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }

    Finished resume(std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {"sweep", "--lab", lab_, "--resume", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }
    // Adds a waiting run with the settings of the first one.
    static RunId add_run(LabFile& lab) {
        const RunRecord first = lab.run(1);
        return lab.add_run(first.experiment, "one more", first.settings);
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(LabVerbsTest, SampleOfInvalidUtf8IsValidJson) {
    // The text has only continuation bytes, so that the generated text is never valid UTF-8.
    std::string bytes;
    for (int i = 0; i < 3000; ++i) bytes += static_cast<char>(0x80 + i * i % 23);
    const std::string text = folder_.write("bytes.bin", bytes).string();
    ASSERT_EQ(sweep({"--set", "data=" + text, "--set", "tokenizer=bytes"}).status, 0);
    const auto read = shell(
        "python3 -c 'import sqlite3, sys\n"
        "rows = sqlite3.connect(sys.argv[1]).execute(\"SELECT text FROM sample\").fetchall()\n"
        "assert rows and all(type(row[0]) is bytes and row[0] for row in rows)' " +
        lab_);
    EXPECT_EQ(read.status, 0) << read.err;
    const auto stored = LabFile::open(lab_, LabFile::Mode::read)->samples(1);
    ASSERT_FALSE(stored.empty());
    EXPECT_EQ(stored.front().text.find_first_not_of(bytes), std::string::npos) << "the bytes are kept";
    const auto sample = ropelab_cli({"sample", "--lab", lab_, "--prompt", "\x80", "--length", "30", "--json"});
    ASSERT_EQ(sample.status, 0) << sample.err;
    EXPECT_EQ(sample.json().at("tokens").size(), 30U);
    EXPECT_THAT(sample.json().at("text").get<std::string>(), testing::HasSubstr("\uFFFD"));
}

TEST_F(LabVerbsTest, ResultsMeasuresTheGenerationSpeed) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto before = ropelab_cli({"results", "--lab", lab_, "--json"});
    EXPECT_EQ(before.json().at("groups").at(0).at("generated_tokens_per_second").at("n"), 0);
    const std::vector<std::string> measure = {"results",
                                              "--lab",
                                              lab_,
                                              "--measure-generation",
                                              "--generation-samples",
                                              "2",
                                              "--generation-length",
                                              "20",
                                              "--generation-top-k",
                                              "5"};
    std::vector<std::string> as_json = measure;
    as_json.emplace_back("--json");
    const auto measured = ropelab_cli(as_json);
    ASSERT_EQ(measured.status, 0) << measured.err;
    const nlohmann::json result = measured.json();
    for (const auto& group : result.at("groups")) {
        EXPECT_EQ(group.at("generated_tokens_per_second").at("n"), 2) << group.dump();
        EXPECT_GT(group.at("generated_tokens_per_second").at("mean").get<double>(), 0);
    }
    EXPECT_EQ(
        result.at("generation"),
        "Generation speed: 2 samples of 20 tokens per run, batch size 1, temperature 0.8, top_k 5, mode recompute, "
        "after a warm-up.");
    const auto text = ropelab_cli({"results", "--lab", lab_, "--compare", "generated_tokens_per_second"});
    EXPECT_THAT(text.out, testing::HasSubstr("generation speed (tokens/s)"));
    EXPECT_THAT(text.out, testing::HasSubstr("2 samples of 20 tokens per run"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "latex"}).out,
                testing::HasSubstr("generation speed (tokens/s)"));
    const auto refused = ropelab_cli({"results", "--lab", lab_, "--measure-generation", "--generation-mode", "fast"});
    EXPECT_THAT(refused.err, testing::HasSubstr("\"fast\" is not a generation mode"));
}

TEST_F(LabVerbsTest, ResultsMeasuresTheLossBeyondTheContext) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto measured = ropelab_cli({"results", "--lab", lab_, "--measure-lengths", "--json"});
    ASSERT_EQ(measured.status, 0) << measured.err;
    for (const auto& group : measured.json().at("groups")) {
        const nlohmann::json& measurements = group.at("measurements");
        for (const char* name : {"loss_at_1x", "loss_at_2x", "loss_at_4x"}) {
            EXPECT_GT(measurements.at(name).at("mean").get<double>(), 0) << name;
        }
    }
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--data-dir", "x"}).err,
                testing::HasSubstr("--data-dir applies to --measure"));
}

TEST_F(LabVerbsTest, SweepIsStoredAndReadByOtherCommands) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto results = ropelab_cli({"results", "--lab", lab_, "--json"});
    ASSERT_EQ(results.status, 0) << results.err;
    EXPECT_EQ(results.json().at("groups").size(), 2U);
    const auto text = ropelab_cli({"results", "--lab", lab_});
    EXPECT_THAT(text.out, testing::HasSubstr("±"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "latex"}).out, testing::HasSubstr("\\toprule"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "csv"}).out, testing::HasSubstr("theta,"));
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--format", "word"}), "text, csv, latex or json");
    const auto chosen = ropelab_cli({"results", "--lab", lab_, "--format", "csv", "--columns", "n,theta"});
    EXPECT_THAT(chosen.out, testing::StartsWith("n,theta\r\n"));
    EXPECT_THAT(ropelab_cli({"results", "--columns", "help"}).out, testing::StartsWith("short "));
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--columns", "thetas"}), "did you mean theta?");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--columns", "n", "--json"}),
                     "JSON always contains all columns");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--best-bold"}), "--format latex");
    EXPECT_BAD_INPUT(ropelab_cli({"results"}), "--lab is missing");
    const auto weighed =
        ropelab_cli({"results", "--lab", lab_, "--json", "--decide", "final_validation_loss,cache_bytes"});
    ASSERT_EQ(weighed.status, 0) << weighed.err;
    EXPECT_EQ(weighed.json().at("decision_aid").at(0).at("speed"), "cache_bytes");
    EXPECT_EQ(weighed.json().at("decision_aid").at(0).at("loss"), "final_validation_loss");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--decide", "cache"}), "neither a loss nor a cost");
    EXPECT_EQ(ropelab_cli({"results", "--lab", lab_, "--published"}).out, text.out)
        << "the paper used no such data set";

    const auto verdicts =
        ropelab_cli({"results", "--lab", lab_, "--json", "--test", "paired", "--sort=-theta", "--until", "9"});
    ASSERT_EQ(verdicts.status, 0) << verdicts.err;
    EXPECT_EQ(verdicts.json().at("test"), "paired");
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("settings").at("theta"), 10000);
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("iterations_until").at("values"), nlohmann::json({0, 0}));
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("verdict").at("kind"), "baseline");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--test", "sign"}),
                     "student, welch, paired or permutation");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--sort", "tetha"}), "did you mean theta?");
    EXPECT_BAD_INPUT(
        ropelab_cli({"results", "--lab", lab_, "--baseline", "fraction=1"}),
        "All runs have fraction=1, so this chooses no baseline; give values of the swept settings (theta)");
    EXPECT_EQ(ropelab_cli({"results", "--lab", lab_, "--baseline", "theta=10k,fraction=1"}).status, 0);
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--compare", "loss"}),
                     "did you mean best_validation_loss, final_validation_loss, whole_validation_loss, test_loss or "
                     "final_training_loss?");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--experiment", "4"}),
                     "the number of an experiment (1 to 1)");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--until", "low"}), "low");

    const auto sample = ropelab_cli({"sample", "--lab", lab_, "--length", "40", "--json"});
    ASSERT_EQ(sample.status, 0) << sample.err;
    EXPECT_EQ(sample.json().at("text").get<std::string>().size(), 40U);
    const auto rolling = ropelab_cli({"sample", "--lab", lab_, "--run", "2", "--length", "60", "--mode", "rolling"});
    EXPECT_EQ(rolling.out.size(), 61U);
    EXPECT_EQ(sample.json().at("tokens").size(), 40U);
    const auto three = ropelab_cli({"sample", "--lab", lab_, "--length", "40", "--count", "3", "--json"});
    ASSERT_EQ(three.status, 0) << three.err;
    EXPECT_EQ(three.json().at("samples").size(), 3U);
    EXPECT_EQ(three.json().at("samples").at(0).at("text"), sample.json().at("text"));
    EXPECT_EQ(three.json().at("kv_cache_bytes_measured"), 3 * sample.json().at("kv_cache_bytes").get<int>());
    const auto last = ropelab_cli({"sample", "--lab", lab_, "--length", "40", "--seed", "1339"});
    EXPECT_EQ(three.json().at("samples").at(2).at("text").get<std::string>() + "\n", last.out);
    const auto listed = ropelab_cli({"sample", "--lab", lab_, "--length", "40", "--count", "3"});
    EXPECT_THAT(listed.out, testing::EndsWith("[3 of 3, seed 1339]\n" + last.out));
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--count", "0"}), "--count");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--count", "1000000000000"}), "of memory are free");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--prompt", "Ω"}), "Ω");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--mode", "fast"}), "recompute or rolling");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--run", "99"}), "99");
    EXPECT_BAD_INPUT(ropelab_cli({"sample"}), "--lab");
}

// Records finished runs of two seeds at three fractions and two numbers of layers, with these thetas.
void record_fit_runs(const std::string& path, const std::vector<double>& thetas) {
    const auto lab = LabFile::create(path);
    const std::int64_t experiment = lab->add_experiment("recorded", Experiment("recorded").to_json().dump());
    int next = 0;
    for (const double theta : thetas) {
        for (const double fraction : {0.25, 0.5, 1.0}) {
            for (const int layers : {1, 3}) {
                for (int seed = 1; seed <= 2; ++seed) {
                    const nlohmann::json settings = {
                        {"theta", theta}, {"fraction", fraction}, {"layers", layers}, {"seed", seed}};
                    const RunId run = lab->add_run(experiment, "run", settings.dump());
                    RunSummary summary;
                    summary.iterations = 1000;
                    summary.best_validation_loss = 2 - 0.1 * fraction - 0.05 * layers + 0.001 * ((7 * next++) % 11 - 5);
                    summary.final_validation_loss = summary.best_validation_loss + 0.1;
                    lab->record(std::vector<Event>{event::RunEnded{run, RunState::finished, "", summary}});
                }
            }
        }
    }
}

TEST_F(LabVerbsTest, ResultsShowsTheNamesOfSettings) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    {
        const auto lab = LabFile::open(lab_);
        lab->set_setting_looks(
            std::vector<SettingLook>{{setting_key(stored_spec(lab->run(1))), 0, false, "short base"}});
    }
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_}).out, testing::HasSubstr("short base"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "csv"}).out, testing::StartsWith("name,"));
    const auto json = ropelab_cli({"results", "--lab", lab_, "--json"}).json();
    EXPECT_EQ(json.at("groups").at(0).at("name"), "short base");
    EXPECT_THAT(ropelab_cli({"results", "--columns", "help"}).out, testing::HasSubstr("\nname "));
}

TEST_F(LabVerbsTest, ResultsFitsTheLoss) {
    record_fit_runs(lab_, {10000});
    const std::vector<std::string> fit = {"results", "--lab", lab_, "--fit"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = fit;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    };
    const auto json = with({"--json", "--predict", "fraction=75%,parameters=100k", "--predict",
                            "parameters=147904,fraction=1,tokens=2048000", "--compare", "final_validation_loss"});
    ASSERT_EQ(json.status, 0) << json.err;
    const nlohmann::json said = json.json().at("loss_fit");
    EXPECT_EQ(said.at("n"), 12);
    EXPECT_EQ(said.at("measure"), "final_validation_loss");
    EXPECT_EQ(said.at("terms").size(), 4U);
    ASSERT_EQ(said.at("predictions").size(), 2U);
    EXPECT_EQ(said.at("predictions").at(0).at("fraction"), 0.75);
    EXPECT_EQ(said.at("predictions").at(0).at("tokens"), 2048000);
    EXPECT_NEAR(said.at("predictions").at(1).at("value").get<double>(), 1.85, 0.01);
    EXPECT_FALSE(ropelab_cli({"results", "--lab", lab_, "--json"}).json().contains("loss_fit"));

    const auto text = with({"--predict", "fraction=50%,parameters=100k"});
    EXPECT_THAT(text.out, testing::HasSubstr("Fit of the loss: ln best_validation_loss = "));
    EXPECT_THAT(text.out,
                testing::HasSubstr(
                    "of one run at rotated fraction p = 50 %, parameters N = 100000, training tokens D = 2048000: 1."));
    EXPECT_BAD_INPUT(with({"--predict", "fraction=10%,parameters=100k"}), "at fraction = 0.1 is refused");
    EXPECT_THAT(with({"--predict", "fraction=10%,parameters=100k", "--extrapolate"}).out,
                testing::HasSubstr("outside the range of the runs in fraction."));
    EXPECT_BAD_INPUT(with({"--predict", "fraction=50%"}), "needs a value of parameters");
    EXPECT_BAD_INPUT(with({"--format", "csv"}), "--format text");
    EXPECT_BAD_INPUT(with({"--compare", "seconds"}), "seconds is not one");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--predict", "fraction=1"}), "--fit");
}

TEST_F(LabVerbsTest, TheBaselineChoosesTheRunsOfTheFit) {
    record_fit_runs(lab_, {500, 10000});
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--fit"}), "also differ in theta (500, 10000)");
    const auto chosen = ropelab_cli({"results", "--lab", lab_, "--fit", "--json", "--baseline", "theta=500"});
    ASSERT_EQ(chosen.status, 0) << chosen.err;
    EXPECT_EQ(chosen.json().at("loss_fit").at("n"), 12);
    EXPECT_EQ(chosen.json().at("loss_fit").at("other_runs"), 12);
}

// Merged labs belong together: the table includes the runs of all of them, also in later calls and in the window.
TEST_F(LabVerbsTest, ResultsRemembersWhichRunsAreIncluded) {
    std::vector<std::string> others;
    for (const int seed : {1, 2, 3}) {
        others.push_back((folder_ / ("seed-" + std::to_string(seed) + ".ropelab")).string());
        const auto lab = LabFile::create(others.back());
        const std::int64_t experiment = lab->add_experiment("seed " + std::to_string(seed), "{}");
        const RunId run = lab->add_run(experiment, "run", nlohmann::json{{"seed", seed}}.dump());
        RunSummary summary;
        summary.best_validation_loss = 1.5 + 0.01 * seed;
        lab->record(
            std::vector<Event>{event::CohortStarted{{run}, 0, 10, {seed == 1 ? "bfloat16" : "float32", "cpu", 2, ""}},
                               event::RunEnded{run, RunState::finished, "", summary}});
    }
    std::string note;
    const auto results = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"results", "--lab", lab_, "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto finished = ropelab_cli(arguments);
        EXPECT_EQ(finished.status, 0) << finished.err;
        note = finished.err;
        return finished.json();
    };
    std::vector<std::string> merge = {"--merge"};
    merge.insert(merge.end(), others.begin(), others.end());
    EXPECT_EQ(results(merge).at("groups").at(0).at("n"), 3);
    for (const std::string& other : others) EXPECT_THAT(note, testing::HasSubstr("1 run of " + other + " added.\n"));
    EXPECT_THAT(note, testing::HasSubstr("The lab file stores this choice of runs and margin"));
    EXPECT_EQ(LabFile::open(lab_)->run(2).name, "run, seed 2");
    results(merge);
    EXPECT_THAT(note, testing::HasSubstr("0 runs of " + others[0] + " added; the lab file has its runs already.\n"));
    EXPECT_THAT(note, testing::Not(testing::HasSubstr("stores this choice")));
    const auto later = results({});
    EXPECT_EQ(later.at("groups").at(0).at("n"), 3);
    EXPECT_EQ(note, "");
    EXPECT_EQ(later.at("selection").at("experiment"), "all");
    EXPECT_EQ(later.at("warnings").size(), 1U);
    EXPECT_EQ(run_selection(LabFile::open(lab_)->choice(selection_choice)).experiment, RunSelection::all_experiments);

    EXPECT_EQ(results({"--split-by", "precision"}).at("groups").size(), 2U);
    EXPECT_EQ(results({"--split-by", "precision,device"}).at("groups").size(), 2U);
    EXPECT_EQ(results({"--split-by", "nothing", "--exclude-run", "2"}).at("groups").at(0).at("n"), 2);
    EXPECT_EQ(results({}).at("groups").at(0).at("n"), 2);
    EXPECT_EQ(results({"--include-run", "2", "--experiment", "latest"}).at("groups").at(0).at("n"), 1);
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_}).out,
                testing::HasSubstr("Add --experiment all to include the other"));
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--experiment", "9"}), "latest, all or the number");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--split-by", "phase"}), "precision, device or kernels");
}

// Of a run with another seed, as after a copy under a wrong name.
TEST_F(LabVerbsTest, ACheckpointOfAnotherRunIsRefusedByEveryCommandThatReadsIt) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const std::string folder = lab_ + ".checkpoints/";
    std::filesystem::copy_file(folder + "run-2.safetensors", folder + "run-1.safetensors",
                               std::filesystem::copy_options::overwrite_existing);
    const std::string text = folder_.write("text.txt", "to be or not to be").string();
    const std::string sentence = "run-1.safetensors does not belong to the run";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"sample"},
          {"probe", "--text", "to be"},
          {"probe", "--ablation-curve", "frozen"},
          {"probe", "--extrapolate", "2"},
          {"convert-heads", "--key-value-heads", "1"},
          {"compress", text, "--output", (folder_ / "text.compressed").string()}}) {
        std::vector<std::string> whole = command;
        whole.insert(whole.end(), {"--lab", lab_, "--run", "1"});
        EXPECT_BAD_INPUT(ropelab_cli(whole), sentence);
    }
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--measure-generation"}), sentence);
    EXPECT_BAD_INPUT(resume({"--set", "iterations=40", "--set", "decay_iterations=20"}), sentence);
    const auto before = LabFile::open(lab_)->metrics(1).steps.training_loss;
    sqlite::Connection(lab_, sqlite::Access::write).run("UPDATE run SET state = 'stopped' WHERE id = 1");
    EXPECT_BAD_INPUT(resume(), sentence);
    EXPECT_BAD_INPUT(resume(), "its seed is 2, but that of the run is 1");
    EXPECT_EQ(LabFile::open(lab_)->metrics(1).steps.training_loss, before);
    std::filesystem::remove(folder + "run-1.safetensors");
    EXPECT_EQ(resume().status, 0) << "without a checkpoint, the run trains from the beginning";
}

TEST_F(LabVerbsTest, EmptyPathsAreRefused) {
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--lab", ""}), "--lab: the value is empty");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--lab="}), "--lab");
    EXPECT_BAD_INPUT(ropelab_cli({"data", "generate", "synthetic", "--output", ""}), "--output: the value is empty");
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "clock", "--output", ""}), "The value of --output is empty");
    EXPECT_BAD_INPUT(ropelab_cli({"train", "--set", "seed=1..9223372036854775807"}), "seed");
}

TEST_F(LabVerbsTest, ExistingLabRequiresResume) {
    ASSERT_EQ(sweep({"--resume"}).status, 0);  // creates the lab, because it does not exist
    EXPECT_BAD_INPUT(sweep({}), "--resume");
    const auto again = sweep({"--resume", "--json"});  // all runs are finished
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json().at("runs").size(), 4U);
    EXPECT_BAD_INPUT(sweep({"--resume", "--set", "layers=1", "--cohort", "0"}), "another experiment");
}

// A trigger simulates a full disk: the lab cannot store all steps, and no checkpoint may be newer than the lab.
TEST_F(LabVerbsTest, ReportsALabThatCannotBeWrittenAndWritesNoNewerCheckpoint) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto lab = LabFile::open(lab_);
    const RunId next = add_run(*lab);
    const sqlite::Connection other(lab_, sqlite::Access::write);
    other.run(
        "CREATE TRIGGER full BEFORE INSERT ON step WHEN NEW.iteration > 10 BEGIN SELECT RAISE(ABORT, 'full'); END");
    const auto failed = resume();
    EXPECT_EQ(failed.status, 1);
    EXPECT_EQ(failed.out, "");
    EXPECT_THAT(failed.err, testing::EndsWith("\n"));
    EXPECT_THAT(failed.err,
                testing::HasSubstr("Some results of this training are missing from the lab file, because " + lab_));
    EXPECT_EQ(lab->run(next).iteration, 10);
    EXPECT_EQ(read_checkpoint(lab->checkpoint_path(next))->iteration, 10);

    other.run("DROP TRIGGER full");
    const auto continued = resume();
    EXPECT_EQ(continued.status, 0) << continued.err;
    EXPECT_EQ(lab->run(next).state, RunState::finished);
    EXPECT_EQ(lab->metrics(next).steps.iteration.size(), 20U);
    EXPECT_EQ(lab->metrics(next).evaluations.iteration.size(), 3U);
}

TEST_F(LabVerbsTest, SkipsAndReportsRunsOfAnotherProgram) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto lab = LabFile::open(lab_);
    const RunId mine = add_run(*lab);
    const RunId others = add_run(*lab);
    lab->claim({others});  // for the program that is started, this process is another program
    const auto first = resume();
    EXPECT_EQ(first.status, 1);
    EXPECT_THAT(first.err, testing::HasSubstr("Another program is training a run of " + lab_));
    EXPECT_EQ(lab->run(mine).state, RunState::finished);
    EXPECT_EQ(lab->run(others).state, RunState::waiting);

    sqlite::Connection(lab_, sqlite::Access::write).run("UPDATE run SET writer = 'node7 12 34' WHERE writer <> ''");
    const auto second = resume();
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.err, testing::HasSubstr("the machine node7"));
    EXPECT_EQ(std::count(second.err.begin(), second.err.end(), '\n'), 1) << second.err;
    EXPECT_EQ(lab->run(others).state, RunState::waiting);
    const auto third = resume({"--take-over"});
    EXPECT_EQ(third.status, 0) << third.err;
    EXPECT_EQ(lab->run(others).state, RunState::finished);
}

TEST_F(LabVerbsTest, ResumesFailedRunsUnlessTheyDiverged) {
    ASSERT_EQ(trained_once(sweep_arguments(), lab_), 0);
    const auto lab = LabFile::open(lab_);
    const RunId full = add_run(*lab);
    lab->record(std::vector<Event>{event::RunEnded{full, RunState::failed, "The disk is full.", {}}});
    const auto continued = resume();
    EXPECT_EQ(continued.status, 0) << continued.err;
    EXPECT_EQ(lab->run(full).state, RunState::finished);

    const RunId diverged = add_run(*lab);
    lab->record(std::vector<Event>{event::Step{diverged, 1, std::nan(""), 1, 1},
                                   event::RunEnded{diverged, RunState::failed, "The run diverged.", {}}});
    const auto again = resume();
    EXPECT_EQ(again.status, 1);
    EXPECT_THAT(again.err, testing::HasSubstr("1 of 6 runs failed in an earlier call. The run diverged."));
}

TEST_F(LabVerbsTest, ResumeRejectsChangedData) {
    const auto text = folder_.write("text.txt", small_text(4000));
    ASSERT_EQ(sweep({"--set", "data=" + text.string()}).status, 0);
    const auto lab = LabFile::open(lab_);
    add_run(*lab);
    folder_.write("text.txt", small_text(4400));
    EXPECT_BAD_INPUT(ropelab_cli({"sweep", "--lab", lab_, "--resume"}),
                     "has 4,400 bytes, but training began with a text that has 4,000 bytes");
}

TEST_F(LabVerbsTest, SheetRejectsChangedData) {
    for (const char* data : {"a", "b"}) std::filesystem::create_directory(folder_ / data);
    folder_.write("a/enwik8", small_text(60000));
    folder_.write("b/enwik8", small_text(50000));
    const auto reproduce = [&](const char* data) {
        return ropelab_cli(
            {"reproduce", "bpc", "--scale", "smoke", "--lab", lab_, "--data-dir", (folder_ / data).string()});
    };
    const auto first = reproduce("a");
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(first.out, testing::HasSubstr("60,000 bytes"));
    const auto lab = LabFile::open(lab_);
    for (const RunRecord& run : lab->runs()) EXPECT_EQ(run.text->bytes, 60000);
    lab->record(std::vector<Event>{event::RunEnded{1, RunState::stopped, "", {}}});
    EXPECT_BAD_INPUT(reproduce("b"), "has 50,000 bytes, but training began with a text that has 60,000 bytes");
    EXPECT_EQ(reproduce("a").status, 0);
}

TEST_F(LabVerbsTest, RejectsFilesThatAreNotLabs) {
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_}), "a.ropelab");
    folder_.write("a.ropelab", "hello");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_}), "a.ropelab");
}

}  // namespace
}  // namespace ropelab
