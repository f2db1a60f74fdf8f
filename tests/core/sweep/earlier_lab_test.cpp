// Opens, evaluates and resumes tests/data/earlier_names.ropelab, a lab written before keys, values and columns were
// renamed (core/base/aliases.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/aliases.h"
#include "core/engine/torch_engine.h"
#include "core/results/results_table.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/stored_run.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/source_file.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

class EarlierLab : public testing::Test {
 protected:
    void SetUp() override {
        const fs::path from = source_file("tests/data/earlier_names.ropelab");
        fs::copy(from, path_);
        fs::copy(from.string() + ".checkpoints", path_.string() + ".checkpoints");
    }

    ScratchFolder folder_;
    fs::path path_ = folder_ / "earlier.ropelab";
};

TEST_F(EarlierLab, SettingsHaveTheirCurrentNames) {
    const auto lab = LabFile::open(path_, LabFile::Mode::read);
    std::vector<std::string> data;
    for (const RunRecord& run : lab->runs()) {
        const nlohmann::json settings = stored_settings(run);
        EXPECT_EQ(settings.at("tokenizer"), "bytes");
        EXPECT_FALSE(settings.contains("symbols"));
        EXPECT_EQ(stored_spec(run).tokenizer, Tokenizer::bytes);
        data.push_back(stored_spec(run).data);
    }
    EXPECT_THAT(data, testing::ElementsAre("synthetic", "synthetic", "synthetic-local", "synthetic-local"));
    const auto description = nlohmann::json::parse(lab->experiments().at(0).description);
    const Experiment experiment = Experiment::from_json(description);
    EXPECT_THAT(experiment.values("data"), testing::ElementsAre("synthetic", "synthetic-local"));
    EXPECT_EQ(experiment.to_json().at("tokenizer"), "bytes");
}

TEST_F(EarlierLab, SnapshotsAreRead) {
    const auto lab = LabFile::open(path_, LabFile::Mode::read);
    const auto result = lab->snapshot(1, 0);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->length, 32);
    EXPECT_GT(result->sequences, 0);
    EXPECT_FALSE(result->logit_contribution.empty());
    EXPECT_FALSE(result->query_usage.empty());
}

TEST_F(EarlierLab, RunsResumeAndFinish) {
    TorchEngine engine;
    {
        const auto lab = LabFile::open(path_);
        Plan plan = plan_continued_runs(*lab, unfinished_runs(*lab));
        ASSERT_EQ(plan.runs.size(), 4U);
        settle_data(*lab, plan);  // the data have the size and the checksum with which training began
        LabRecorder recorder(path_);
        connect(plan, path_, recorder);
        Runner runner([&]() -> Engine& { return engine; }, [&](const Event& event) { recorder.record(event); });
        runner.start(std::move(plan));
        runner.join();
    }
    const auto lab = LabFile::open(path_, LabFile::Mode::read);
    std::vector<ResultRun> runs;
    for (const RunRecord& run : lab->runs()) {
        EXPECT_EQ(run.state, RunState::finished) << run.message;
        EXPECT_EQ(run.summary->iterations, 400);
        EXPECT_LT(run.summary->final_validation_loss, 2.5);
        runs.push_back({stored_settings(run), run.name, run.summary, run.state});
    }
    ResultsOptions options;
    options.baseline = baseline_settings({"data=generated"});  // a baseline as earlier scripts write it
    const ResultsTable table = results_table(runs, options);
    ASSERT_EQ(table.groups.size(), 2U);
    EXPECT_EQ(table.groups[0].settings.at("data"), "synthetic");
    EXPECT_EQ(table.groups[0].described.at(0).n, 2);
}

TEST(Aliases, EarlierNamesOfSettingsAreAccepted) {
    Experiment experiment;
    experiment.set_assignment("symbols=bytes");
    experiment.set_assignment("data=generated,generated-local");
    experiment.add_exclusion("data=generated,symbols=characters");
    EXPECT_EQ(experiment.to_json().dump(), Experiment::from_text(R"({"tokenizer": "bytes",
        "data": ["synthetic", "synthetic-local"],
        "exclude": [{"data": "synthetic", "tokenizer": "characters"}]})")
                                               .to_json()
                                               .dump());
    EXPECT_THAT(experiment.values("symbols"), testing::ElementsAre("bytes"));
}

TEST(Aliases, EarlierChoicesOfCudaKernelsAreReadAsChoicesOfGraphs) {
    Experiment experiment;
    experiment.set_assignment("cuda_kernels=all,no-graphs");
    EXPECT_THAT(experiment.values("cuda_graphs"), testing::ElementsAre("on", "off"));
    EXPECT_EQ(experiment.to_json().dump(),
              Experiment::from_text(R"({"cuda_kernels": ["all", "no-graphs"]})").to_json().dump());
    EXPECT_EQ(run_spec_from_json({{"cuda_kernels", "all"}}).cuda_graphs, GraphUse::on);
    EXPECT_EQ(run_spec_from_json({{"cuda_kernels", "auto"}}).cuda_graphs, GraphUse::automatic);
    RunSpec spec;
    key("cuda_kernels").set(spec, std::string("all"));
    EXPECT_EQ(to_json(spec).at("cuda_graphs"), "on");
}

TEST(Aliases, WordsAndBooleansOfQkNormAreTheSameExperiment) {
    const Experiment words = Experiment::from_text(R"({"qk_norm": ["none", "head", "projection"]})");
    const Experiment booleans = Experiment::from_text(R"({"qk_norm": [false, true, "projection"]})");
    EXPECT_EQ(words.to_json().dump(), booleans.to_json().dump());
    EXPECT_EQ(words.expand(), booleans.expand());
    EXPECT_EQ(words.expand().at(1).qk_norm, QkNorm::head);
    EXPECT_EQ(run_spec_from_json(to_json(words.expand().at(1))), words.expand().at(1));
    EXPECT_EQ(run_spec_from_json(to_json(words.expand().at(2))).qk_norm, QkNorm::projection);
    EXPECT_EQ(to_json(words.expand().at(1)).at("qk_norm"), true);
}

TEST(Aliases, NoNameIsBothEarlierAndCurrent) {
    for (const Alias& alias : aliases()) {
        EXPECT_EQ(current_name(alias.kind, alias.earlier), alias.current);
        EXPECT_EQ(current_name(alias.kind, alias.current), alias.current);
    }
}

TEST(Aliases, FlagsAreReplacedWithAndWithoutTheirValue) {
    EXPECT_THAT(current_arguments({"probe", "--stop-pairs", "0-3", "--windows=4", "--lab", "--windows.ropelab"}),
                testing::ElementsAre("probe", "--freeze-pairs", "0-3", "--sequences=4", "--lab", "--windows.ropelab"));
}

}  // namespace
}  // namespace ropelab
