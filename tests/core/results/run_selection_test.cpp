#include "core/results/run_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "core/base/error.h"
#include "tests/core/results/result_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunSelection selection_with(std::int64_t experiment) {
    RunSelection selection;
    selection.experiment = experiment;
    return selection;
}

TEST(RunSelection, ChoosesTheLatestOneOrAllExperiments) {
    const std::vector<SelectableRun> runs = {{1, 1}, {2, 1}, {3, 4}, {4, 2}, {5, 4}};
    EXPECT_THAT(selected_runs(runs, {}).indices, ElementsAre(2, 4));
    EXPECT_EQ(selected_runs(runs, {}).experiment, 4);
    EXPECT_THAT(selected_runs(runs, selection_with(2)).indices, ElementsAre(3));
    EXPECT_THAT(selected_runs(runs, selection_with(3)).indices, ElementsAre());
    EXPECT_THAT(selected_runs(runs, selection_with(RunSelection::all_experiments)).indices, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(selected_runs({}, {}).indices, ElementsAre());
    const std::vector<SelectableRun> queued = {{1, 1}, {2, 2, false}};
    EXPECT_EQ(selected_runs(queued, {}).experiment, 1) << "a queued experiment has no results";
    EXPECT_EQ(selected_runs(queued, selection_with(2)).experiment, 2);
    EXPECT_EQ(selected_runs(std::span(queued).last(1), {}).experiment, 2) << "nothing has begun";
}

TEST(RunSelection, IsStoredAsText) {
    RunSelection selection = selection_with(3);
    selection.unfinished = true;
    selection.excluded = {7, 9};
    selection.split_by = {"precision", "kernels"};
    EXPECT_EQ(run_selection(to_text(selection)), selection);
    EXPECT_EQ(run_selection(""), RunSelection());
    EXPECT_EQ(run_selection(R"({"experiment":"two"})"), RunSelection());
    EXPECT_EQ(run_selection(R"({"experiment":2,"split_by":["phase"]})"), selection_with(2));
}

TEST(RunSelection, SaysWhichRunsCount) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[0].excluded = true;
    runs[1].state = RunState::failed;
    runs[2].state = RunState::stopped;
    runs.push_back(runs[5]);
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.groups[0].excluded.size(), 1U);
    EXPECT_TRUE(table.groups[0].counted.empty());
    SelectedRuns selected;
    selected.experiment = 2;
    selected.indices.resize(runs.size());
    EXPECT_EQ(selection_words(table, selected, 3, 40),
              "Runs: 15 of 19 runs count, of experiment 2; the lab file has 3 experiments with 40 runs. Not counted: 1 "
              "unfinished, 1 failed or diverged, 1 whose seed a run has that was added later, 1 excluded by the user.");
    selected.experiment = RunSelection::all_experiments;
    EXPECT_THAT(selection_words(table, selected, 3, 19), HasSubstr("15 of 19 runs count, of all 3 experiments."));
}

std::vector<ResultRun> runs_in_two_precisions() {
    std::vector<ResultRun> runs = theta_paper_runs();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].conditions = RunConditions{i == 0 ? "bfloat16" : "float32", "cpu", 2, ""};
        runs[i].measurements = {{"extension_rise", 0.1 * static_cast<double>(i)}};
    }
    return runs;
}

TEST(ResultsConditions, CaptionNamesThePrecisionThatWasUsed) {
    std::vector<ResultRun> runs = runs_in_two_precisions();
    for (ResultRun& run : runs) run.settings["precision"] = "auto";
    EXPECT_THAT(results_latex(results_table(runs)), HasSubstr("Precision: bfloat16 (1 run), float32 (17 runs)."));
    for (ResultRun& run : runs) run.conditions->precision = "float32";
    EXPECT_THAT(results_latex(results_table(runs)), HasSubstr("Precision: float32."));
}

TEST(ResultsConditions, WarnsOfPooledPrecisionAndSplits) {
    const std::vector<ResultRun> runs = runs_in_two_precisions();
    const ResultsTable pooled = results_table(runs);
    EXPECT_EQ(pooled.groups.size(), 6U);
    EXPECT_EQ(condition_text(pooled.groups[0], "precision"), "bfloat16 (1), float32 (2)");
    EXPECT_EQ(condition_text(pooled.groups[1], "precision"), "float32");
    EXPECT_EQ(condition_text(pooled.groups[1], "kernels"), "none");
    EXPECT_THAT(condition_warnings(pooled),
                ElementsAre("Warning: the runs trained in different precision: bfloat16 (1), float32 (17). Runs of "
                            "different conditions are pooled in the means of these groups: theta = 500. Split by "
                            "precision to separate them."));
    EXPECT_THAT(results_text(pooled), HasSubstr("Warning: the runs trained in different precision"));
    EXPECT_EQ(results_json(pooled).at("groups").at(0).at("chosen_precision").at("bfloat16"), 1);
    EXPECT_THAT(results_csv(pooled), HasSubstr("chosen_precision,chosen_device,chosen_kernels"));
    TableStyle style;
    style.columns = {"theta", "chosen_precision"};
    EXPECT_THAT(results_latex(pooled, style), HasSubstr("500 & bfloat16 (1), float32 (2) \\\\\n"));

    ResultsOptions options;
    options.split_by = {"precision"};
    const ResultsTable split = results_table(runs, options);
    EXPECT_EQ(split.groups.size(), 7U);
    EXPECT_THAT(split.swept, ElementsAre("theta", "precision"));
    EXPECT_THAT(condition_warnings(split), ElementsAre());
    options.split_by = {"phase"};
    EXPECT_MESSAGE(results_table(runs, options), BadInput, "precision, device or kernels");
}

// Losses per token have a baseline per tokenizer; bits per byte have one for all.
TEST(ResultsConditions, ComparesTokenizersByBitsPerByteOnly) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        runs.push_back(result_run({{"tokenizer", "auto"}, {"seed", seed}}, 1.5 + 0.01 * seed));
        runs.back().summary->bytes_per_token = 1;
        runs.push_back(result_run({{"tokenizer", "bpe"}, {"seed", seed}}, 3.5 + 0.01 * seed));
        runs.back().summary->bytes_per_token = 2.5;
        runs.back().summary->subwords = true;
    }
    const ResultsTable per_token = results_table(runs);
    ASSERT_EQ(per_token.groups.size(), 2U);
    EXPECT_EQ(per_token.comparisons(), 0);
    EXPECT_THAT(condition_warnings(per_token), ElementsAre(HasSubstr("only their bits per byte can be compared")));
    EXPECT_EQ(per_token.groups[1].described[measure_index("bits_per_character")].n, 0);
    EXPECT_THAT(results_text(per_token, {.columns = {"full"}}), HasSubstr("bits/byte"));

    ResultsOptions options;
    options.compare = "bits_per_byte";
    const ResultsTable per_byte = results_table(runs, options);
    EXPECT_EQ(per_byte.comparisons(), 1);
    EXPECT_EQ(per_byte.groups[1].against, 0U);
    EXPECT_NEAR(per_byte.groups[1].described[per_byte.compared].mean, 3.52 / std::numbers::ln2 / 2.5, 1e-12);
    EXPECT_EQ(verdict_of(per_byte, per_byte.groups[1]).kind, Verdict::Kind::better);
    // One tokenizer needs no warning, and on ASCII texts its bits per byte repeat its bits per character.
    const ResultsTable one = results_table(std::vector<ResultRun>{runs[0], runs[2]});
    EXPECT_TRUE(condition_warnings(one).empty());
    EXPECT_THAT(results_text(one), testing::Not(HasSubstr("bits/byte")));
}

// Pure groups that are compared with a baseline on another device.
TEST(ResultsConditions, WarnsOfComparedDevices) {
    std::vector<ResultRun> runs = theta_paper_runs();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].conditions = RunConditions{"float32", i < 3 ? "cuda" : "cpu", 2, "", i < 3 ? "all" : ""};
    }
    const std::vector<std::string> warnings = condition_warnings(results_table(runs));
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_THAT(warnings[0], HasSubstr("different devices: cpu (15), cuda (3). The tests compare groups"));
    EXPECT_THAT(warnings[1], HasSubstr("different kernels: all (3), none (15)."));
}

TEST(ResultsConditions, ExportsCarryTheMeasurements) {
    const ResultsTable table = results_table(runs_in_two_precisions());
    EXPECT_THAT(results_csv(table),
                HasSubstr("measured_extension_rise,measured_extension_rise_std,measured_extension_rise_n"));
    const nlohmann::json measured = results_json(table).at("groups").at(0).at("measurements").at("extension_rise");
    EXPECT_NEAR(measured.at("mean").get<double>(), 0.1, 1e-12);
    EXPECT_EQ(measured.at("n"), 3);
}

}  // namespace
}  // namespace ropelab
