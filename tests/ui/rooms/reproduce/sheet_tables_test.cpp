
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QLabel>
#include <memory>

#include "tests/core/reproduce/sheet_runs.h"
#include "ui/controls/text_table.h"
#include "ui/rooms/reproduce/claims_page.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/reproduce/sheet_words.h"

namespace ropelab::ui {
namespace {

// Returns θ = 500 on enwik8 as the theta paper prints it, with three seeds of our own.
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

TextTable::Cell cellOf(const TextTable::Content& content, const QString& column) {
    for (std::size_t i = 0; i < content.columns.size(); ++i) {
        if (content.columns[i].title == column) return content.rows.at(0)[i];
    }
    ADD_FAILURE() << "no column " << column.toStdString();
    return {};
}

TEST(SheetTables, RecomputesPublishedNumbersAndMarksDisagreement) {
    const auto content = comparisonTable(published(-1.96), "");
    EXPECT_EQ(cellOf(content, "θ").text, "500");
    EXPECT_EQ(cellOf(content, "data").text, "enwik8");
    EXPECT_EQ(cellOf(content, "published").text, "1.0792 ± 0.0016");
    EXPECT_EQ(cellOf(content, "printed difference [%]").text, "−1.96");
    const TextTable::Cell wrong = cellOf(content, "recomputed difference [%] (p)");
    EXPECT_TRUE(wrong.text.startsWith("−1.94 (<0.001, ")) << wrong.text.toStdString();
    EXPECT_EQ(wrong.tone, TextTable::Tone::warning);
    EXPECT_TRUE(wrong.tip.contains("disagrees"));
    const TextTable::Cell right = cellOf(comparisonTable(published(-1.94), ""), "recomputed difference [%] (p)");
    EXPECT_EQ(right.tone, TextTable::Tone::normal);
    EXPECT_TRUE(right.tip.contains("agrees with the one that the publication prints"));
}

TEST(SheetTables, VerdictHasColorAndReason) {
    const auto rows = published(-1.94);
    const TextTable::Cell verdict = cellOf(comparisonTable(rows, ""), "verdict");
    EXPECT_EQ(verdict.text, "reproduced");
    EXPECT_EQ(verdict.tone, TextTable::Tone::success);
    EXPECT_TRUE(verdict.tip.contains("after Holm"));
    EXPECT_EQ(toneOf(SheetVerdict::not_reproduced), TextTable::Tone::error);
    EXPECT_EQ(toneOf(SheetVerdict::undecided), TextTable::Tone::warning);
    EXPECT_EQ(verdictWords(rows), "1 reproduced.");
    const auto seeds = seedTable(rows.front());
    ASSERT_EQ(seeds.rows.size(), 3U);
    EXPECT_EQ(seeds.rows[0][1].text, "1.1000");
    EXPECT_EQ(seeds.rows[0][2].text, "2.1000");
    EXPECT_EQ(seeds.rows[0][3].text, "−1.0000");
    EXPECT_TRUE(comparisonTable(rows, "seconds").rows.empty());
}

TEST(SheetTables, EmptyColumnsOfNumbersAreLeftOutAndNumbersAreOnTheRight) {
    std::vector<SheetRow> rows = published(-1.94);
    const auto titles = [](const TextTable::Content& content) {
        QStringList result;
        for (const TextTable::Column& column : content.columns) result << column.title;
        return result;
    };
    EXPECT_TRUE(titles(comparisonTable(rows, "")).contains("p (Student)"));
    rows = evaluate(plan_of({rows.front().plan}), {});
    const TextTable::Content content = comparisonTable(rows, "");
    EXPECT_EQ(titles(content).mid(0, 2), (QStringList{"θ", "data"}));
    EXPECT_TRUE(titles(content).contains("this lab"));
    EXPECT_FALSE(titles(content).contains("p (Student)"));
    EXPECT_FALSE(titles(content).contains("values per seed"));
    EXPECT_FALSE(content.columns[0].isWord);
    EXPECT_TRUE(content.columns[1].isWord);
}

// Only the terminal said that a third data set is left out.
TEST(SheetTables, ClaimsAndEffectsNameTheDataSetThatIsLeftOut) {
    PlannedRow row = row_500({});
    row.claim = "loss";
    row.keys = {{"theta", 500}, {"data", "synthetic"}, {"asked", "enwik8"}};
    SheetPlan plan = plan_of({row});
    plan.claims = {{"loss", "A claim."}};
    plan.missing_sets = {"enwik8", "text8"};
    const std::vector<SheetRow> rows = evaluate(plan, {});
    const QString words = "text8 is not on disk and is left out";
    EXPECT_EQ(leftOutData(plan), words);
    EXPECT_TRUE(decidingWords(plan, rows, "loss").contains(words + "."));
    EXPECT_TRUE(forestFigure(plan, rows).note.contains(words)) << forestFigure(plan, rows).note.toStdString();
    plan.missing_sets = {"enwik8"};
    EXPECT_EQ(leftOutData(plan), "");
}

TEST(SheetTables, TooltipShowsTheWordsOfTheClaim) {
    const auto rows = published(-1.94);
    const std::vector<Claim> claims = {{"claim", "The loss is lower."}};
    EXPECT_TRUE(cellOf(comparisonTable(rows, "", claims), "θ").tip.startsWith("Claim: The loss is lower.\n"));
    EXPECT_FALSE(cellOf(comparisonTable(rows, ""), "θ").tip.contains("claim"));
}

TEST(ClaimsPage, ShowsOneVerdictPerClaimAndOlderRules) {
    SheetPlan plan = plan_of({row_500({})});
    plan.claims = {{"claim", "The loss is lower."}};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2, 1.31});
    add_runs(runs, 10000, {2.1, 2.2, 2.3});
    ClaimsPage claims;
    claims.setSheet(plan, evaluate(plan, runs), "6 runs");
    const QString page = claims.text();
    EXPECT_TRUE(page.contains("Claim 1\n+ reproduced\nThe loss is lower.")) << page.toStdString();
    EXPECT_TRUE(page.contains("Reproduced: holds for its one row.")) << page.toStdString();
    EXPECT_TRUE(page.contains("Rule of claim 1: ")) << page.toStdString();
    EXPECT_FALSE(page.contains("older than the rules of this program")) << page.toStdString();
    plan.rows.front().rule->version = 1;
    claims.setSheet(plan, evaluate(plan, runs), "6 runs");
    EXPECT_TRUE(claims.text().contains("older than the rules of this program"));
}

TEST(PredictionList, ShowsOutcomesAndCalibrationAboveTheCards) {
    ScoredPrediction prediction;
    prediction.prediction.low = {{{"theta", "500"}}};
    prediction.prediction.high = {{{"theta", "10000"}}};
    prediction.chance = 0.5;
    prediction.outcome = ScoredPrediction::Outcome::right;
    std::vector<ScoredPrediction> predictions = {prediction, prediction};
    predictions.back().outcome = ScoredPrediction::Outcome::wrong;
    const std::unique_ptr<TextList> list(makePredictionList("No predictions.", nullptr));
    list->setContent(predictionTable(predictions), predictionWords(predictions));
    // Two fair coins: 2 · 0.5 right by chance, P(at least 1) = 1 − 0.5² = 0.75.
    EXPECT_TRUE(
        list->words().contains("\n2 predictions: 1 right, 1 wrong. Calibration: 1 of 2 predictions with a score "
                               "are right; 1.00 would be expected by chance."))
        << list->words().toStdString();
    list->setContent({}, predictionWords({}));
    EXPECT_EQ(list->words(), "No predictions.");
}

// A table cut off nearly every cell after six lines.
TEST(PredictionList, CardsShowWholeTexts) {
    ScoredPrediction prediction;
    prediction.prediction.low = {{{"theta", "500"}}};
    prediction.prediction.high = {{{"theta", "10000"}}};
    prediction.chance = 0.5;
    prediction.words = "short result";
    std::vector<ScoredPrediction> predictions(3, prediction);
    const std::unique_ptr<TextList> list(makePredictionList("No predictions.", nullptr));
    list->resize(700, 500);
    list->show();
    list->setContent(predictionTable(predictions));
    QString many;
    for (int i = 0; i < 120; ++i) many += QStringLiteral("word%1 ").arg(i);
    predictions[1].words = many.toStdString();
    list->setContent(predictionTable(predictions));
    QCoreApplication::processEvents();
    EXPECT_TRUE(list->cardText(0).contains("why it is not scored: short result")) << list->cardText(0).toStdString();
    EXPECT_FALSE(list->cardText(0).contains("Measured result")) << "nothing is measured";
    EXPECT_TRUE(list->words().contains("the lab stores them before the first run")) << "no run may have begun";
    EXPECT_TRUE(list->cardText(0).contains("not scored")) << list->cardText(0).toStdString();
    EXPECT_TRUE(list->cardText(1).contains("word119")) << list->cardText(1).toStdString();
    for (const QLabel* label : list->findChildren<QLabel*>()) {
        if (!label->isVisible()) continue;
        EXPECT_GE(label->height(), label->heightForWidth(label->width())) << label->text().toStdString();
    }
}

TEST(SheetTables, DifferingKeysHaveColumns) {
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
    EXPECT_FALSE(titles.contains("published")) << "the source prints no numbers for these rows";
    ASSERT_EQ(content.rows.size(), 2U);
    EXPECT_EQ(content.rows[0][2].text, "–");
    EXPECT_EQ(content.rows[1][2].text, "fraction 0 at 0.001");
    EXPECT_EQ(content.rows[0][1].text, "no");
    EXPECT_EQ(content.rows[1][1].text, "yes");
    EXPECT_TRUE(content.rows[0][0].tip.contains("no position encoding")) << content.rows[0][0].tip.toStdString();
}

TEST(SheetTables, SubstituteDataSetNamesTheRequestedOne) {
    PlannedRow row;
    row.keys = {{"theta", 500}, {"data", "synthetic"}, {"asked", "enwik8"}};
    EXPECT_EQ(rowTitle(row), "θ 500 · synthetic instead of enwik8");
    row.keys = {{"position", "alibi"}};
    EXPECT_EQ(rowTitle(row), "ALiBi");
    EXPECT_EQ(measureTitleOf("best_validation_loss"), "best validation loss (nats)");
    EXPECT_EQ(measureTitleOf("spiked"), "runs with a loss spike");
    EXPECT_EQ(measureTitleOf("spiked_early"), "runs with an early loss spike");
}

TEST(SheetTables, ChecksShowTheClaimsAndTheBenchmarksOfThePartialRopePaper) {
    const TextTable::Content content = checkTable("partial-bands");
    EXPECT_EQ(content.rows.front()[0].text, QStringLiteral("undecided"));
    EXPECT_TRUE(content.rows.front()[2].text.startsWith(QStringLiteral("On 9 out of 10 benchmarks")));
    EXPECT_TRUE(content.rows.front()[3].text.contains(QStringLiteral("8 of 10 benchmarks")));
    const auto& wsc = content.rows.back();
    EXPECT_EQ(wsc[0].text, QStringLiteral("shown"));
    EXPECT_TRUE(wsc[1].text.contains(QStringLiteral("WSC (104 questions)")));
    EXPECT_TRUE(wsc[1].tip.contains(QStringLiteral("Llama-3.1-8B x FW x Seq. Len. 2048, 100% RoPE: 49 %")));
    EXPECT_TRUE(checkTable("bpc").rows.back()[0].text != QStringLiteral("shown"));
}

}  // namespace
}  // namespace ropelab::ui
