#include "core/reproduce/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reproduce/rules/measuring.h"
#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class SheetReport : public testing::Test {
 protected:
    SheetReport() {
        PlannedRow row = row_500({});
        row.paper = Sample{3, 1.4728, 0.0016};
        row.paper_baseline = Sample{3, 1.4739, 0.0030};
        plan_ = plan_of({row, shown_row({{"theta", 10000}}, "best_validation_loss", {{"theta", "10000"}})});
        plan_.sheet = "theta-table-2";
        plan_.claims = {{"claim", "It is lower."}};
        plan_.notes = {"A note."};
        add_runs(runs_, 500, {1.1, 1.2, 1.31});
        add_runs(runs_, 10000, {2.1, 2.2, 2.3});
        runs_.push_back(sheet_run(500, 9, 5));
        runs_.back().state = RunState::failed;
    }
    SheetPlan plan_;
    std::vector<SheetRun> runs_;
};

TEST_F(SheetReport, JsonHasFlatKeysAndEverySeed) {
    plan_.rows.front().keys["against"] = "full RoPE";  // no setting of the run
    const auto rows = evaluate(plan_, runs_);
    const auto json = sheet_json(plan_, rows, score(plan_, runs_));
    const auto& row = json.at("rows").at(0);
    EXPECT_EQ(row.at("theta"), 500);
    EXPECT_EQ(row.at("against"), "full RoPE");
    EXPECT_EQ(row.at("context"), runs_.front().spec.context);  // settings that are not compared are included
    EXPECT_FALSE(row.contains("seed"));
    EXPECT_EQ(row.at("ours").at("n"), 3);
    EXPECT_EQ(row.at("paper"), nlohmann::json({{"mean", 1.4728}, {"std", 0.0016}, {"n", 3}}));
    EXPECT_EQ(row.at("values"), nlohmann::json({1.1, 1.2, 1.31, nullptr}));
    EXPECT_EQ(row.at("seeds"), nlohmann::json({1, 2, 3, 9}));
    EXPECT_EQ(row.at("failed"), 1);
    EXPECT_EQ(row.at("verdict"), "undecided");  // by the survivors
    EXPECT_EQ(row.at("rule_version"), rules_version);
    EXPECT_EQ(row.at("baseline_failed"), 0);
    EXPECT_EQ(row.at("effect").at("scale"), "percent");
    EXPECT_NEAR(row.at("effect").at("value").get<double>(), -45.303, 1e-3);
    EXPECT_NEAR(row.at("effect").at("range_high").get<double>(), 1, 1e-12);
    EXPECT_NEAR(row.at("effect").at("paper").get<double>(), -0.0746, 1e-4);
    EXPECT_THAT(row.at("rule").get<std::string>(), HasSubstr("paired by seed"));
    for (const char* number : {"difference", "p_student", "p_welch", "p_holm"}) {
        EXPECT_TRUE(row.at(number).is_number()) << number;
    }
    EXPECT_NEAR(row.at("paper_recomputed").at("difference_percent").get<double>(), -0.0746, 1e-4);
    EXPECT_EQ(json.at("rows").at(1).at("verdict"), "baseline");
    EXPECT_TRUE(json.at("rows").at(1).at("rule").is_null());
    EXPECT_EQ(json.at("claims").at(0).at("verdicts"), nlohmann::json({{"undecided", 1}}));
    EXPECT_EQ(json.at("claims").at(0).at("verdict"), "undecided");
    EXPECT_EQ(json.at("claims").at(0).at("verdict_words"), "Undecided: holds for 0 of 1 row; 1 undecided.");
    EXPECT_TRUE(json.at("stored_rules").is_null());
    EXPECT_GT(json.at("paper_checks").size(), 20U);
    EXPECT_TRUE(json.at("source_tests").empty());
    EXPECT_TRUE(json.at("published_benchmarks").is_null());
    plan_.sheet = "partial-bands";
    const auto partial = sheet_json(plan_, rows, {});
    EXPECT_EQ(partial.at("source_tests").size(), 8U);
    EXPECT_EQ(partial.at("published_benchmarks").at("rows").size(), 50U);
    EXPECT_THAT(sheet_text(plan_, rows, {}), HasSubstr("Claims of Khan et al., tested on the paper's own numbers:"));
}

TEST_F(SheetReport, EventsAreCounted) {
    SheetPlan plan = plan_of({shown_row({{"theta", 500}}, spiked, {{"theta", "500"}})});
    for (std::size_t i = 0; i < 3; ++i) runs_[i].measurements[spiked] = i == 1 ? 1 : 0;
    runs_.pop_back();
    const auto rows = evaluate(plan, runs_);
    EXPECT_THAT(sheet_text(plan, rows, {}), HasSubstr("1 of 3"));
    EXPECT_THAT(sheet_latex(plan, rows), HasSubstr(" & 1 of 3 & ")) << "no math mode";
    EXPECT_NEAR(sheet_json(plan, rows, {}).at("rows").at(0).at("ours").at("mean").get<double>(), 1.0 / 3, 1e-12);
}

TEST_F(SheetReport, TextHasNotesClaimsTablesAndRules) {
    const std::string text = sheet_text(plan_, evaluate(plan_, runs_), {});
    EXPECT_THAT(text, HasSubstr("Verdicts by claim:\n  claim 1: Undecided: holds for 0 of 1 row; 1 undecided.\n"));
    for (const char* part : {"Note: A note.", "Claim 1: It is lower.", "  claim 1, theta 500: undecided. ",
                             "Rule of claim 1: ", "theta 500", "1.2033 ± 0.1050", "1.4728 ± 0.0016",
                             "undecided, 1 run failed", "Rules (preregistered)", "printed 2.09 %; recomputed 2.02 %"}) {
        EXPECT_THAT(text, HasSubstr(part));
    }
}

// The first and the last column are left-aligned, the others right-aligned; no line ends with a blank.
TEST_F(SheetReport, TextTablesAreAligned) {
    const std::string text = sheet_text(plan_, evaluate(plan_, runs_), {});
    const std::size_t begin = text.find("best_validation_loss (nats)");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_EQ(
        text.substr(begin, text.find("\n  claim", begin) - begin),
        "best_validation_loss (nats)         this lab  n  difference [%]  p (Holm)  p (Student)        published  "
        "published difference [%] (p Student, p Welch)  verdict\n"
        "theta 500                    1.2033 ± 0.1050  3          -45.30    <0.001       <0.001  1.4728 ± 0.0016  "
        "                         -0.07 (0.605, 0.614)  undecided, 1 run failed\n"
        "theta 10k                    2.2000 ± 0.1000  3               –         –            –                –  "
        "                                            –  baseline");
}

TEST_F(SheetReport, CsvHasFullPrecisionAndEverySeed) {
    const std::string csv = sheet_csv(evaluate(plan_, runs_));
    const auto line = [&](int number) {
        std::size_t begin = 0;
        for (int i = 0; i < number; ++i) begin = csv.find("\r\n", begin) + 2;
        return csv.substr(begin, csv.find("\r\n", begin) - begin);
    };
    EXPECT_THAT(line(0), testing::StartsWith("claim,measure,theta,ours_mean,ours_std,ours_n,baseline_mean"));
    EXPECT_THAT(line(1), testing::StartsWith("claim,best_validation_loss,500,1.20"));
    EXPECT_THAT(line(1), HasSubstr(",1.4728,0.0016,3,"));
    EXPECT_THAT(line(1), HasSubstr(",undecided,1,1:1.1 2:1.2 3:1.31 9:,\""));
    EXPECT_THAT(line(2), HasSubstr(",10000,2.2"));
    EXPECT_THAT(line(2), HasSubstr(",baseline,0,1:2.1 2:2.2 3:2.3,,"));
    EXPECT_EQ(line(3), "");
}

TEST_F(SheetReport, LatexHasATablePerMeasure) {
    plan_.notes = {"10 % of it."};
    const std::string latex = sheet_latex(plan_, evaluate(plan_, runs_));
    for (const char* part :
         {"% 10 % of it.\n", "\\begin{tabular}{lrrrrrrl}\n\\toprule\nbest\\_validation\\_loss (nats) & ours",
          "$\\theta$ 500 & $1.2033 \\pm 0.1050$ & 3 & $-45.30$ & $<0.001$; $<0.001$ & ",
          "& $1.4728 \\pm 0.0016$ & $-0.07$ & ", "undecided, 1 run failed \\\\\n",
          "$\\theta$ 10k & $2.2000 \\pm 0.1000$ & 3 & -- & -- & -- & -- & baseline",
          "\\bottomrule\n\\end{tabular}}\n"}) {
        EXPECT_THAT(latex, HasSubstr(part));
    }
}

TEST_F(SheetReport, LatexHasCaptionsAndLabels) {
    const std::string latex = sheet_latex(plan_, evaluate(plan_, runs_));
    EXPECT_THAT(latex, HasSubstr("\\begin{table}\n\\centering\n\\caption{"));
    EXPECT_THAT(latex,
                HasSubstr("best\\_validation\\_loss (nats), mean $\\pm$ sample standard deviation over n = 3 seeds."));
    EXPECT_THAT(latex, HasSubstr("after Holm's correction over the rows of its family"));
    EXPECT_THAT(
        latex,
        HasSubstr("After the semicolon: p of Student's two-tailed t test of the means, not corrected. Scale: laptop."));
    EXPECT_THAT(latex, HasSubstr("context 128; after 1000 steps of training, precision"));
    runs_.front().spec.iterations = 4000;
    EXPECT_THAT(sheet_latex(plan_, evaluate(plan_, runs_)),
                HasSubstr("after 1000 or 4000 steps of training, precision"));
    EXPECT_THAT(latex, HasSubstr("\\label{tab:theta-table-2-best_validation_loss}\n"));
}

// The reason why a smoke sheet has no verdicts is stated once, and each row has only its own verdict.
TEST_F(SheetReport, TextOfASmokeSheetStatesItsReasonOnce) {
    plan_.scale = SheetScale::smoke;
    runs_.pop_back();
    PlannedRow other = plan_.rows.front();
    other.claim = "another";
    plan_.rows.push_back(other);
    const auto rows = evaluate(plan_, runs_);
    const std::string text = sheet_text(plan_, rows, {});
    const std::string reason = "Runs of the scale \"smoke\" (a quick check) are too short";
    EXPECT_EQ(text.find(reason), text.rfind(reason));
    EXPECT_NE(text.find(reason), std::string::npos);
    EXPECT_THAT(text, HasSubstr("theta 500: not testable (its rule alone would give: reproduced). After 1,000 steps "
                                "the group's mean differs"));
    EXPECT_EQ(sheet_json(plan_, rows, {}).at("rows").at(0).at("by_rule"), "reproduced");
    EXPECT_THAT(row_reason(rows.front()),
                HasSubstr("The row's preregistered rule alone would give the verdict: reproduced. After 1,000 steps"));
}

TEST_F(SheetReport, PlanShowsRunsAndCost) {
    plan_.experiment.set("theta", {"500", "10000"});
    plan_.experiment.set("seed", {"1", "2", "3"});
    plan_.sequential = true;
    const auto json = plan_json(plan_);
    EXPECT_EQ(json.at("runs").size(), 6U);
    EXPECT_EQ(json.at("estimate").at("cohorts"), 6);
    EXPECT_GT(json.at("estimate").at("seconds"), 0);
    EXPECT_THAT(plan_text(plan_), HasSubstr("Runs: 6, trained sequentially"));
    EXPECT_THAT(plan_text(plan_), HasSubstr(" on this machine with all evaluations and measurements"));
    plan_.extensions = {1, 2};
    const auto measured = plan_json(plan_);
    EXPECT_GT(measured.at("estimate").at("seconds"), json.at("estimate").at("seconds"));
    plan_.writing.samples = 100;
    EXPECT_GT(plan_json(plan_).at("estimate").at("seconds"), measured.at("estimate").at("seconds"));
    plan_.sequential = false;
    EXPECT_EQ(plan_json(plan_).at("estimate").at("cohorts"), 1);
}

// A lab keeps the verdicts of its stored rules, and the report says so.
TEST_F(SheetReport, MarksVerdictsByOlderRules) {
    plan_.rows.front().rule->version = 1;
    const auto rows = evaluate(plan_, runs_);
    const auto json = sheet_json(plan_, rows, {});
    EXPECT_EQ(json.at("rows").at(0).at("verdict"), "reproduced");
    EXPECT_EQ(json.at("rows").at(0).at("rule_version"), 1);
    EXPECT_THAT(json.at("rows").at(0).at("rule").get<std::string>(),
                testing::StartsWith("By the older rule stored in this lab file: "));
    EXPECT_THAT(json.at("stored_rules").get<std::string>(), HasSubstr("the rules that this lab file stores"));
    EXPECT_THAT(sheet_text(plan_, rows, {}),
                HasSubstr("Note: The verdicts follow the rules that this lab file stores."));
}

// Eleven predictions without measurements filled a page of the terminal.
TEST(PredictionsText, NamesUnscoredPredictionsOnceAndShort) {
    std::vector<ScoredPrediction> predictions;
    for (int i = 0; i < 5; ++i) {
        ScoredPrediction& each = *predictions.emplace(predictions.begin());
        each.prediction.theory = i < 3 ? "context bound" : "critical dimension";
        each.prediction.quantity = "retrieval by distance";
        each.prediction.words = "Retrieval collapses. " + std::string(1000, 'w');
        each.words = "12 runs to measure.";
    }
    predictions.front().outcome = ScoredPrediction::Outcome::right;
    predictions.front().words = "It collapsed.";
    const std::string text = predictions_text(predictions);
    EXPECT_THAT(
        text, HasSubstr("  not scored: 1 prediction of critical dimension, retrieval by distance; 3 of context bound, "
                        "retrieval by distance. 12 runs to measure."));
    EXPECT_THAT(text, HasSubstr("  right ("));
    EXPECT_EQ(std::count(text.begin(), text.end(), 'w') / 1000, 1) << "only the scored prediction has its words";
}

}  // namespace
}  // namespace ropelab
