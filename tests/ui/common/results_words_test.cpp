#include "ui/common/results_words.h"

#include <gtest/gtest.h>

#include "core/results/results_cells.h"
#include "tests/core/results/result_runs.h"

namespace ropelab::ui {
namespace {

/// Returns the results of groups with different θ; seeds are 1, 2, 3, …
ResultsTable tableOf(const std::vector<std::pair<double, std::vector<double>>>& groups,
                     const ResultsOptions& options = {}) {
    std::vector<ResultRun> runs;
    for (const auto& [theta, losses] : groups) {
        for (std::size_t i = 0; i < losses.size(); ++i) {
            runs.push_back(result_run({{"theta", theta}, {"seed", i + 1}}, losses[i]));
        }
    }
    return results_table(runs, options);
}

TEST(OverallWords, CountsEachVerdictInTheWordsOfTheTerminal) {
    const ResultsTable table = tableOf({{10000, {2.00, 2.01, 2.02}},
                                        {500, {1.00, 1.01, 1.03}},
                                        {1000, {3.00, 3.01, 3.03}},
                                        {2000, {2.00, 2.02, 2.01}},
                                        {4000, {1.5}}});
    const QString words = overallWords(table);
    EXPECT_TRUE(
        words.startsWith("Compared with θ 10k on this text: 1 better, 1 worse, 1 not significant, 1 no test (test: "
                         "paired by seed"))
        << words.toStdString();
    for (const ResultGroup& group : table.groups) {
        const Verdict::Kind kind = verdict_of(table, group).kind;
        if (kind == Verdict::Kind::baseline) continue;
        EXPECT_TRUE(words.contains("1 " + QString::fromStdString(to_string(kind)))) << to_string(kind);
    }
    // Only the tested groups count: three seeds each, three comparisons.
    EXPECT_TRUE(
        words.contains("With 3 pairs of runs with equal seeds, the significance test detects a true difference of "))
        << words.toStdString();
    EXPECT_TRUE(
        words.contains("level divided by 3 comparisons, estimated from the spread over seeds of the settings whose "))
        << words.toStdString();
}

TEST(OverallWords, PairedTestCountsPairs) {
    ResultsOptions options;
    options.test = TestKind::paired;
    const QString words =
        overallWords(tableOf({{10000, {2.00, 2.01, 2.02, 2.03}}, {500, {1.00, 1.02, 1.01}}}, options));
    EXPECT_TRUE(words.contains("With 3 pairs of runs with equal seeds, the significance test detects"))
        << words.toStdString();
    EXPECT_FALSE(words.contains("divided by")) << "one comparison needs no correction";
}

TEST(OverallWords, TestedSeedsAreARangeWhereGroupsDiffer) {
    const std::vector<double> five = {2.00, 2.01, 2.02, 2.03, 2.04};
    EXPECT_EQ(testedSeeds(tableOf({{10000, five}, {500, {1, 1.1, 1.2}}, {1000, {1, 1.1, 1.2, 1.3}}, {2000, {1}}})),
              "3 to 4 seeds")
        << "pairs of seeds; θ 2k is not tested";
    EXPECT_EQ(testedSeeds(tableOf({{10000, five}, {500, {1, 1.1, 1.2, 1.3, 1.4}}})), "5 seeds");
}

TEST(OverallWords, SayWhatHasABaselineOfItsOwn) {
    std::vector<ResultRun> runs;
    for (const char* tokenizer : {"characters", "bytes"}) {
        for (const int seed : {1, 2}) {
            runs.push_back(result_run({{"tokenizer", tokenizer}, {"seed", seed}}, 2 + 0.1 * seed));
        }
    }
    const ResultsTable alone = results_table(runs);
    EXPECT_TRUE(isNothingCompared(alone));
    EXPECT_EQ(overallWords(alone),
              "No test against the baseline of each tokenizer is possible: each group has a tokenizer of its own.");
    EXPECT_TRUE(QString::fromStdString(caption_words(alone)).contains(" Each tokenizer has a baseline of its own."));
    EXPECT_EQ(data_words(tableOf({{10000, {2}}, {500, {1}}})), "data set");
    ResultsOptions per_byte;
    per_byte.compare = "bits_per_byte";
    EXPECT_FALSE(isNothingCompared(results_table(runs, per_byte)));
}

TEST(Headlines, NameTheDataAndContextThatAllRunsShare) {
    std::vector<ResultRun> runs = {result_run({{"context", 128}, {"theta", 100}, {"seed", 1}}, 1),
                                   result_run({{"context", 128}, {"theta", 500}, {"seed", 1}}, 2)};
    const QString words = "Lowest loss on this text: θ 100, 100 % rotated; 1 nats below θ 500, 100 % rotated (p)";
    EXPECT_EQ(withSharedData(words, results_table(runs)),
              "Lowest loss on synthetic text, context 128: θ 100, 100 % rotated; 1 nats below θ 500, 100 % (p)");
    runs.back().settings["context"] = 64;
    EXPECT_TRUE(withSharedData(words, results_table(runs)).startsWith("Lowest loss on this text: "));
}

TEST(Headlines, HaveMinusSignsAndNoBreakAfterP) {
    EXPECT_EQ(headlineText(u"0.05 nats below θ 1e-5 (95 % interval -0.069 … 0.070, p = 0.9)"_s),
              u"0.05 nats below θ 1e-5 (95\u202F% interval −0.069 … 0.070, p\u00A0=\u00A00.9)"_s);
}

TEST(OverallWords, StateWhyNoTestIsPossible) {
    EXPECT_EQ(overallWords(tableOf({{10000, {2}}, {500, {1}}})),
              "No test against θ 10k is possible: a test needs at least two seeds in the group and in the baseline.");
    EXPECT_EQ(overallWords(tableOf({{10000, {2, 2}}, {500, {1, 1}}, {1000, {3, 3}}})),
              "No test against θ 10k is possible: all seeds have equal values, so they are copies and not independent "
              "measurements.");
    ResultsOptions options;
    options.test = TestKind::paired;
    EXPECT_EQ(overallWords(tableOf({{10000, {2, 2.1}}, {500, {1}}}, options)),
              "No test against θ 10k is possible: a paired test needs at least two seeds that both groups have, but "
              "there is 1.");
}

}  // namespace
}  // namespace ropelab::ui
