#include "core/report/lab_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/results/run_selection.h"
#include "core/store/imported.h"
#include "core/study/head_conversion.h"
#include "core/sweep/lab_growth.h"
#include "core/sweep/lab_plan.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

class LabReportTest : public testing::Test {
 protected:
    // Stores an experiment with two thetas and three seeds whose runs have ended. They trained in float32, except for
    // the run `in_bfloat16`.
    std::unique_ptr<LabFile> finished_lab(RunId in_bfloat16 = 0) {
        auto lab = LabFile::create(folder_ / "my lab.ropelab");
        Experiment experiment("first");
        experiment.set("theta", {"500", "10k"});
        experiment.set("seed", {"1", "2", "3"});
        plan_new_runs(*lab, experiment);
        for (const RunRecord& run : lab->runs()) {
            RunSummary summary;
            summary.iterations = 1000;
            summary.best_validation_loss = 1.5 + 0.001 * static_cast<double>(run.id * run.id % 7);
            summary.final_validation_loss = summary.best_validation_loss + 0.01;
            lab->bind_to_text(run.id, {"synthetic", 400000, std::string(64, 'c')}, true);
            const std::string precision = run.id == in_bfloat16 ? "bfloat16" : "float32";
            lab->record(std::vector<Event>{
                event::CohortStarted{{run.id}, 0, 1000, {precision, "cpu", 2, precision + ": set by the user.", ""}},
                event::Step{run.id, 1, 3, 1, 1e-3}, event::RunEnded{run.id, RunState::finished, "", summary}});
        }
        return lab;
    }
    static ReportOptions options() {
        ReportOptions result;
        result.version = "1.2.3";
        result.date = "2026-03-01";
        result.machine = "A machine with two cores.";
        return result;
    }

    ScratchFolder folder_;
};

TEST_F(LabReportTest, ContainsWhatAReviewerAsksFor) {
    const auto lab = finished_lab();
    ReportOptions with = options();
    with.figures = {"validation-loss", "loss-by-theta"};
    with.results.baseline = {{"theta", "500"}};
    const std::string text = report_markdown(lab_report(*lab, with));
    for (const char* part :
         {"6 runs (6 finished). RoPE Lab 1.2.3 wrote it on 2026-03-01", "| theta | 500, 10000 |", "| width | 64 | 64 |",
          "| synthetic | 400000 | cccccc", "| 6 | cpu | float32 | 2 |", "A machine with two cores.", "### Verdicts",
          "- theta = 10000: ", "(figures/loss-by-theta.svg)",
          "ropelab-cli sweep --experiment experiment-1.json --lab 'my lab.ropelab'\n",
          "ropelab-cli results --lab 'my lab.ropelab' --baseline theta=500\n",
          "ropelab-cli figure loss-by-theta --lab 'my lab.ropelab' --output loss-by-theta.pdf --baseline theta=500\n",
          "\"seed\": ["}) {
        EXPECT_THAT(text, testing::HasSubstr(part));
    }
    EXPECT_THAT(text, testing::HasSubstr("Precision: float32."));
    EXPECT_THAT(text, testing::HasSubstr("Runs: 6 of 6 runs count."));
    const std::string latex = report_latex(lab_report(*lab, with));
    EXPECT_THAT(latex, testing::HasSubstr("\\label{tab:results}"));
    EXPECT_THAT(latex, testing::HasSubstr("\\label{fig:loss-by-theta}"));
}

// Table, figures and commands of a report are about the runs that the lab selects, as those of the Results room.
TEST_F(LabReportTest, CountsTheRunsThatTheLabSelects) {
    const auto lab = finished_lab();
    Experiment second("second");
    second.set("theta", {"7000"});
    plan_new_runs(*lab, second);
    const auto text = [&] { return report_markdown(lab_report(*lab, options())); };
    EXPECT_THAT(text(), testing::HasSubstr("Runs: 6 of 7 runs count"));
    EXPECT_THAT(text(), testing::HasSubstr("ropelab-cli results --lab 'my lab.ropelab' --experiment all\n"));
    RunSelection selection;
    selection.experiment = 1;
    selection.excluded = {2};
    selection.split_by = {"precision", "device"};
    lab->set_choice(selection_choice, to_text(selection));
    EXPECT_THAT(text(), testing::HasSubstr("Runs: 5 of 6 runs count"));
    EXPECT_THAT(text(), testing::HasSubstr("ropelab-cli results --lab 'my lab.ropelab' --experiment 1 --split-by "
                                           "precision,device --exclude-run 2\n"));
    EXPECT_THAT(figure_flags(*lab, {"validation-loss", "improvement"}, {}),
                testing::ElementsAre("--experiment", "1", "--split-by", "precision,device", "--exclude-run", "2"));
    EXPECT_THAT(figure_flags(*lab, {"validation-loss"}, {}), testing::IsEmpty());
    selection.experiment = 9;  // an experiment that the lab lacks
    lab->set_choice(selection_choice, to_text(selection));
    EXPECT_THAT(text(), testing::HasSubstr("Runs: 5 of 7 runs count"));
}

TEST_F(LabReportTest, ListsConversionsOfHeads) {
    const auto lab = finished_lab();
    EXPECT_THAT(report_markdown(lab_report(*lab, options())),
                testing::Not(testing::HasSubstr("Conversions to fewer key and value heads")));
    HeadConversionResult result;
    result.conversion.key_value_heads = 1;
    result.heads_before = 4;
    result.iteration = 1000;
    result.steps = 50;
    result.loss_before = 1.5;
    result.loss_pooled = 1.75;
    result.loss_trained = 1.625;
    result.trained_rise = {.n = 8, .mean = 0.125, .confidence_low = 0.1, .confidence_high = 0.15};
    result.cache_before = 4096;
    result.cache_after = 1024;
    store_head_conversion(*lab, 2, result);
    EXPECT_THAT(report_markdown(lab_report(*lab, options())),
                testing::HasSubstr("| 2 | 1000 | 4 → 1 | 1.5000 | 1.7500 | 50 | 1.6250 | 0.1250 (0.1000 to 0.1500) | "
                                   "4096 → 1024 |"));
}

// Runs with different conditions are pooled only with a warning.
TEST_F(LabReportTest, WarnsOfDifferentConditions) {
    EXPECT_THAT(report_markdown(lab_report(*finished_lab(1), options())),
                testing::HasSubstr("in different precision: bfloat16 (1), float32 (5)."));
}

TEST_F(LabReportTest, HasTheRunsThatTheLabSelects) {
    const auto lab = finished_lab();
    RunSelection selection;
    selection.excluded = {2};
    lab->set_choice(selection_choice, to_text(selection));
    const std::string text = report_markdown(lab_report(*lab, options()));
    EXPECT_THAT(text, testing::HasSubstr("Runs: 5 of 6 runs count, of experiment 1. Not counted: 1 excluded by the"));
    EXPECT_THAT(text, testing::HasSubstr("results --lab 'my lab.ropelab' --exclude-run 2\n"));
    EXPECT_THAT(text, testing::HasSubstr("report --lab 'my lab.ropelab' --output report\n"))
        << "the lab remembers the choice of the command before";
}

TEST_F(LabReportTest, FiguresSuitTheSweep) {
    const auto lab = finished_lab();
    EXPECT_THAT(suitable_figures(*lab, {}), testing::ElementsAre("validation-loss", "training-loss", "group-means",
                                                                 "improvement", "loss-by-theta"));
}

TEST_F(LabReportTest, ItsExperimentsDescribeTheSameRuns) {
    const auto lab = finished_lab();
    Experiment more = *newest_experiment(*lab);
    more.set("seed", {"1", "2", "3", "4"});
    grow_lab(*lab, more, growth_of(*lab, more, false), {});
    const auto files = experiment_files(*lab);
    ASSERT_EQ(files.size(), 2U);
    std::vector<RunSpec> runs = Experiment::from_text(files.at("experiment-2.json")).expand();
    EXPECT_EQ(runs.size(), lab->runs().size());
    EXPECT_EQ(Experiment::from_text(files.at("experiment-1.json")).expand().size(), 6U);
    const std::string text = report_markdown(lab_report(*lab, options()));
    EXPECT_THAT(text, testing::HasSubstr("--experiment experiment-2.json --lab 'my lab.ropelab' --resume --anew\n"));
    EXPECT_THAT(text, testing::HasSubstr("which adds runs to the lab"));
    EXPECT_THAT(text, testing::HasSubstr("results --lab 'my lab.ropelab' --experiment all\n"));
}

// The settings of RoPE Lab's runs were those of all runs, and a command trained a default model for imported ones.
TEST_F(LabReportTest, ImportedRunsHaveNeitherSharedSettingsNorCommands) {
    const auto lab = finished_lab();
    const Experiment imported(imported_experiment);
    const auto id = lab->add_experiment(imported.name(), imported.to_json().dump());
    const RunId run = lab->add_run(id, "a", R"({"imported": "wandb", "layers": 4, "seed": 1})");
    lab->record(std::vector<Event>{event::RunEnded{run, RunState::finished, "", RunSummary{}}});
    const std::string text = report_markdown(lab_report(*lab, options()));
    for (const char* part : {"Settings that all runs that RoPE Lab trained share.", "nats per token (of imported runs",
                             "Imported runs cannot be trained again: ", "sweep --experiment experiment-1.json"})
        EXPECT_THAT(text, testing::HasSubstr(part));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("experiment-2.json")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("ropelab-cli probe")));
    EXPECT_EQ(experiment_files(*lab).size(), 1U);

    const auto measured = LabFile::create(folder_ / "measured.ropelab");
    const auto models = measured->add_experiment(imported.name(), imported.to_json().dump());
    const RunId model = measured->add_run(models, "m", R"({"imported": "opened model", "layers": 4, "seed": 1})");
    measured->record(std::vector<Event>{event::RunEnded{model, RunState::finished, "", RunSummary{}}});
    const std::string words = report_markdown(lab_report(*measured, options()));
    EXPECT_THAT(words,
                testing::HasSubstr("\"ropelab-cli probe --model FOLDER --store measured.ropelab\" measures them"));
    EXPECT_THAT(words, testing::Not(testing::HasSubstr("the command import")));
}

TEST_F(LabReportTest, NamesTheSearchAndRepeatsTheHalving) {
    const auto lab = LabFile::create(folder_ / "h.ropelab");
    Experiment experiment;
    experiment.set("theta", {"100", "1000"});
    plan_new_runs(*lab, experiment, [](LabFile& file, std::int64_t id, const std::vector<RunSpec>&) {
        file.add_document(id, "search", R"({"method": "halving", "first_rung": 200, "settings": 2})");
    });
    const std::string text = report_markdown(lab_report(*lab, options()));
    EXPECT_THAT(text, testing::HasSubstr("fixed before the first run: halving, first rung at iteration 200 of 2"));
    EXPECT_THAT(text, testing::HasSubstr("--lab h.ropelab --search halving --first-rung 200\n"));
}

TEST_F(LabReportTest, WritesThreeFormatsAndTheExperiments) {
    const auto lab = finished_lab();
    std::filesystem::create_directory(folder_ / "out");
    write_report(folder_ / "out", *lab, options());
    for (const char* name : {"report.md", "report.html", "report.tex", "experiment-1.json"}) {
        EXPECT_GT(std::filesystem::file_size(folder_ / "out" / name), 0U) << name;
    }
    const auto empty = LabFile::create(folder_ / "empty.ropelab");
    EXPECT_MESSAGE(lab_report(*empty, options()), BadInput, "has no runs yet");
}

}  // namespace
}  // namespace ropelab
