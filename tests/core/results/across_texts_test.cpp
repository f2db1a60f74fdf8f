#include "core/results/across_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/results/results_cells.h"
#include "core/results/results_verdict.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

const std::vector<std::vector<double>> differences = {{0.031, 0.086, 0.041, 0.033},
                                                      {-0.079, -0.105, -0.065, -0.095},
                                                      {-0.132, -0.103, -0.093, -0.179},
                                                      {-0.037, -0.035, -0.01, -0.036},
                                                      {-0.108, -0.06, -0.063, -0.087}};

std::vector<ResultRun> runs_on(std::size_t texts) {
    std::vector<ResultRun> runs;
    for (std::size_t text = 0; text < texts; ++text) {
        for (std::size_t seed = 0; seed < 4; ++seed) {
            const std::string data = "/texts/" + std::string(1, static_cast<char>('a' + text)) + ".txt";
            const double shared = 1.5 + 0.1 * static_cast<double>(text) + 0.03 * static_cast<double>(seed * seed);
            runs.push_back(result_run({{"data", data}, {"theta", 10000}, {"seed", seed}}, shared));
            runs.push_back(
                result_run({{"data", data}, {"theta", 100}, {"seed", seed}}, shared + differences[text][seed]));
        }
    }
    return runs;
}

// statsmodels 0.14.5, mixedlm('d ~ 1', groups=text).fit(reml=True), and scipy.stats.ttest_1samp (1.17.1) of the texts'
// means, which is its exact test in balanced data.
TEST(AcrossTexts, IsTheMixedModelWithARandomEffectPerText) {
    const ResultsTable table = results_table(runs_on(5));
    const std::vector<AcrossTexts> across = across_texts(table);
    ASSERT_EQ(across.size(), 1U);
    const AcrossTexts& each = across.front();
    ASSERT_EQ(each.texts.size(), 5U);
    EXPECT_NEAR(each.estimate.difference, -0.0548, 1e-12);
    EXPECT_EQ(each.estimate.values, 5);
    EXPECT_NEAR(each.estimate.low, -0.13790091988497624, 1e-12);
    EXPECT_NEAR(each.estimate.high, 0.028300919884976246, 1e-12);
    EXPECT_NEAR(*each.p, 0.14108066518443452, 1e-12);
    EXPECT_NEAR(each.between, 0.06574229361157774, 1e-6);
    EXPECT_NEAR(each.within, 0.02507257892294656, 1e-6);
    // On single texts the differences are significant; on texts of this kind they are not.
    EXPECT_EQ(each.texts[2].verdict, "better");
    const std::string words = across_words(table, each);
    EXPECT_THAT(words, HasSubstr("θ 100 − θ 10k, on each of 5 texts: "));
    EXPECT_THAT(words, HasSubstr("Not significant on texts of this kind"));
    EXPECT_THAT(words, HasSubstr("(5 texts, p = 0.141 after Holm's correction"));
    EXPECT_THAT(results_text(table), HasSubstr(words));
    EXPECT_THAT(caption_words(table), HasSubstr("Not significant on texts of this kind"));
    EXPECT_EQ(results_json(table).at("across_texts").at(0).at("n_texts"), 5);
}

TEST(AcrossTexts, TwoTextsAreAListWithoutAStatementOnOthers) {
    const ResultsTable table = results_table(runs_on(2));
    const std::vector<AcrossTexts> across = across_texts(table);
    ASSERT_EQ(across.size(), 1U);
    EXPECT_FALSE(across.front().p);
    EXPECT_TRUE(std::isnan(across.front().estimate.low));
    EXPECT_THAT(across_words(table, across.front()), HasSubstr("2 texts are too few for a statement"));
}

TEST(AcrossTexts, OneTextHasNoList) {
    EXPECT_TRUE(across_texts(results_table(runs_on(1))).empty());
    EXPECT_TRUE(across_texts(results_table(theta_paper_runs())).empty());
}

// Verdicts of the table are about one text each.
TEST(AcrossTexts, HeadlineAndTableSayTheNumberOfTexts) {
    const ResultsTable table = results_table(runs_on(5));
    const auto name = [&](const ResultGroup& group) { return group_words(table, group); };
    EXPECT_THAT(headline(table, name), HasSubstr(" on 1 of 5 texts"));
    EXPECT_THAT(results_latex(table, {{"paper"}}), HasSubstr("& texts &"));
    const auto columns = results_columns(table);
    const auto texts =
        std::ranges::find_if(columns, [](const ResultsColumn& column) { return column.name == "texts"; });
    ASSERT_NE(texts, columns.end());
    EXPECT_EQ(*texts->number(table.groups.front()), 1);
    EXPECT_THAT(results_latex(results_table(theta_paper_runs()), {{"paper"}}), HasSubstr("result on this text"));
}

}  // namespace
}  // namespace ropelab
