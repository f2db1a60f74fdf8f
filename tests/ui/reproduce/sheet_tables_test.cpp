#include "ui/reproduce/sheet_tables.h"

#include <gtest/gtest.h>

#include "tests/core/experiment/sheets/sheet_runs.h"
#include "ui/reproduce/sheet_words.h"

namespace ropelab::ui {
namespace {

// θ = 500 on enwik8 as the theta paper prints it, with three seeds of ours.
std::vector<SheetRow> published(double printed) {
    PlannedRow row = row_500({});
    row.keys = {{"theta", 500}, {"data", "enwik8"}, {"asked", "enwik8"}};
    row.paper = Sample{3, 1.0792, 0.0016};
    row.paper_baseline = Sample{3, 1.1006, 0.0030};
    row.paper_printed = printed;
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2, 1.31});
    add_runs(runs, 10000, {2.1, 2.2, 2.3});
    return evaluate(plan_of({row}), runs);
}

WordTable::Cell cellOf(const WordTable::Content& content, const QString& column) {
    for (std::size_t i = 0; i < content.columns.size(); ++i) {
        if (content.columns[i].title == column) return content.rows.at(0)[i];
    }
    ADD_FAILURE() << "no column " << column.toStdString();
    return {};
}

TEST(SheetTables, TheirOwnNumbersAreRecomputedAndDisagreementIsMarked) {
    const auto content = comparisonTable(published(-1.96), "");
    EXPECT_EQ(cellOf(content, "θ").text, "500");
    EXPECT_EQ(cellOf(content, "data").text, "enwik8");
    EXPECT_EQ(cellOf(content, "theirs").text, "1.0792 ± 0.0016");
    EXPECT_EQ(cellOf(content, "printed %").text, "−1.96");
    const WordTable::Cell wrong = cellOf(content, "recomputed % (p)");
    EXPECT_TRUE(wrong.text.startsWith("−1.94 (<0.001, ")) << wrong.text.toStdString();
    EXPECT_EQ(wrong.tone, WordTable::Tone::warning);
    EXPECT_TRUE(wrong.tip.contains("disagrees"));
    const WordTable::Cell right = cellOf(comparisonTable(published(-1.94), ""), "recomputed % (p)");
    EXPECT_EQ(right.tone, WordTable::Tone::normal);
    EXPECT_TRUE(right.tip.contains("It agrees"));
}

TEST(SheetTables, TheVerdictIsAColouredWordWithItsReason) {
    const auto rows = published(-1.94);
    const WordTable::Cell verdict = cellOf(comparisonTable(rows, ""), "verdict");
    EXPECT_EQ(verdict.text, "reproduced");
    EXPECT_EQ(verdict.tone, WordTable::Tone::success);
    EXPECT_TRUE(verdict.tip.contains("after Holm"));
    EXPECT_EQ(toneOf(SheetVerdict::not_reproduced), WordTable::Tone::error);
    EXPECT_EQ(toneOf(SheetVerdict::undecided), WordTable::Tone::warning);
    EXPECT_EQ(verdictWords(rows), "1 reproduced.");
    const auto seeds = seedTable(rows.front());
    ASSERT_EQ(seeds.rows.size(), 3U);
    EXPECT_EQ(seeds.rows[0][1].text, "1.1000");
    EXPECT_EQ(seeds.rows[0][2].text, "2.1000");
    EXPECT_EQ(seeds.rows[0][3].text, "−1.0000");
    EXPECT_TRUE(comparisonTable(rows, "seconds").rows.empty());
}

TEST(SheetTables, RowsThatDifferHaveAColumnForEachKeyThatDoes) {
    PlannedRow row = row_500({});
    row.keys = {
        {"block", "pythia"}, {"fraction", 0}, {"learning_rate", 0.001}, {"qk_norm", false}, {"position", "none"}};
    PlannedRow other = row;
    other.keys["learning_rate"] = 0.01;
    other.keys["qk_norm"] = true;
    other.keys["against"] = "fraction 0 at 0.001";
    const auto content = comparisonTable(evaluate(plan_of({row, other}), {}), "");
    QStringList titles;
    for (const auto& column : content.columns) titles << column.title;
    EXPECT_EQ(titles.mid(0, 4), QStringList({"learning rate", "qk norm", "against", "measure"}));
    EXPECT_FALSE(titles.contains("theirs")) << "the source prints nothing of these";
    ASSERT_EQ(content.rows.size(), 2U);
    EXPECT_EQ(content.rows[0][2].text, "–");
    EXPECT_EQ(content.rows[1][2].text, "fraction 0 at 0.001");
    EXPECT_EQ(content.rows[0][1].text, "no");
    EXPECT_EQ(content.rows[1][1].text, "yes");
    EXPECT_TRUE(content.rows[0][0].tip.contains("no positions")) << content.rows[0][0].tip.toStdString();
}

TEST(SheetTables, AStandInSaysForWhichTextItStands) {
    PlannedRow row;
    row.keys = {{"theta", 500}, {"data", "generated"}, {"asked", "enwik8"}};
    EXPECT_EQ(rowTitle(row), "θ 500 · generated, for enwik8");
    row.keys = {{"position", "alibi"}};
    EXPECT_EQ(rowTitle(row), "ALiBi");
    EXPECT_EQ(measureTitleOf("best_validation_loss"), "best validation loss (nats)");
    EXPECT_EQ(measureTitleOf("spiked"), "runs with a loss spike");
    EXPECT_EQ(measureTitleOf("spiked_early"), "runs with an early loss spike");
}

}  // namespace
}  // namespace ropelab::ui
