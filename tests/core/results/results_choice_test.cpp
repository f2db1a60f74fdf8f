// Tests of the columns, captions and marks of printed tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TableStyle columns_of(const std::string& typed) {
    return {column_list(typed)};
}

// Returns three runs with theta 10000 and three with theta 500, whose losses differ by about `difference`. The losses
// of a seed are alike, so that the paired test detects smaller differences.
std::vector<ResultRun> pairs_of_runs(double difference) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        for (const int theta : {10000, 500}) {
            const double change = theta == 500 ? difference + 0.0005 * seed : 0;
            nlohmann::json settings = {{"theta", theta}, {"seed", seed},       {"data", "tinyshakespeare"},
                                       {"layers", 4},    {"iterations", 2000}, {"precision", "float32"}};
            runs.push_back(result_run(std::move(settings), 1.5 + 0.01 * seed + change));
        }
    }
    return runs;
}

TEST(ResultsChoice, PrintsTheChosenColumnsInTheirOrder) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const std::string csv = results_csv(table, columns_of("n, theta,p_welch,best_validation_loss_std"));
    EXPECT_THAT(csv, StartsWith("n,theta,p_welch,best_validation_loss_std\r\n3,500,"));
    const std::string text = results_text(table, columns_of("best_validation_loss,theta"));
    EXPECT_THAT(text, StartsWith(" best val. loss  theta\n1.4728 ± 0.0016    500\n"));
    EXPECT_THAT(results_latex(table, columns_of("theta,interval")),
                HasSubstr("\\begin{tabular}{rr}\n\\toprule\n$\\theta$ & 95\\,\\% interval \\\\\n"));
    // A column that `full` omits in text has a heading and cells if it is chosen.
    EXPECT_THAT(results_text(table, columns_of("theta,difference")), HasSubstr("10000           –"));
    EXPECT_EQ(results_csv(table), results_csv(table, columns_of("full")));
}

TEST(ResultsChoice, PaperHasTheColumnsOfAPaper) {
    const ResultsTable table = welch_table(theta_paper_runs());
    EXPECT_THAT(
        results_csv(table, columns_of("paper")),
        StartsWith("theta,best_validation_loss,best_validation_loss_std,n,texts,improvement_percent,p_welch_holm,"
                   "mark\r\n"));
    const std::string text = results_text(table, columns_of("paper"));
    EXPECT_THAT(text, StartsWith("theta   best val. loss  n  texts  improvement (%)  p Welch, Holm      mark\n"));
    EXPECT_THAT(text, HasSubstr("n.s. not significant"));
    EXPECT_THAT(results_text(table), Not(HasSubstr("n.s. not significant")));
    // A note explains a quantity only where a column shows it.
    EXPECT_THAT(results_text(table, columns_of("full")),
                AllOf(HasSubstr("\n95 % interval: "), HasSubstr("\nDetectable difference: ")));
    // Without a choice a text fits into a terminal and says what the long sentences of `full` have in common once.
    EXPECT_THAT(results_text(table), StartsWith("theta   best val. loss  n  improvement (%)  p Welch, Holm          "
                                                "verdict\n"));
    EXPECT_THAT(results_text(table), Not(HasSubstr("theta = 5000: ")));
    EXPECT_THAT(results_text(table, columns_of("full")), HasSubstr("theta = 5000: Not significant"));
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\n95 % interval: ")), Not(HasSubstr("\nDetectable difference: "))));
    EXPECT_THAT(results_csv(table, columns_of("paper,detectable")), HasSubstr(",mark,detectable\r\n"));
}

TEST(ResultsChoice, ListsTheColumns) {
    const ResultsTable table = welch_table(theta_paper_runs());
    EXPECT_THAT([&] { results_csv(table, columns_of("thetaa")); },
                ThrowsMessage<BadInput>(AllOf(HasSubstr("did you mean theta?"),
                                              HasSubstr("paper, full, settings, name, theta, n"),
                                              HasSubstr("difference_interval"))));
    EXPECT_THAT([] { column_list("n,,theta"); }, ThrowsMessage<BadInput>(HasSubstr("not a list of columns")));
    EXPECT_THAT(column_list(" n , theta"), ElementsAre("n", "theta"));
    for (const char* name : {"paper", "settings", "best_validation_loss_std", "iterations_until", "interval", "mark"}) {
        EXPECT_THAT("\n" + column_help(), HasSubstr(std::string("\n") + name + " ")) << name;
    }
    for (const auto& [name, title] : column_names(table)) {
        EXPECT_FALSE(title.empty()) << name;
        EXPECT_NE(results_csv(table, {{name}}), "") << name;
        EXPECT_NE(results_latex(table, {{name}}), "") << name;
    }
}

TEST(ResultsChoice, MarksCorrectedP) {
    const ResultsTable far = welch_table(pairs_of_runs(-0.2));
    EXPECT_EQ(significance_mark(far, far.groups[0]), "baseline");
    EXPECT_EQ(significance_mark(far, far.groups[1]), "***");
    EXPECT_THAT(results_latex(far, columns_of("paper")), HasSubstr("& $<0.001$ & $^{***}$ \\\\\n"));
    const ResultsTable near = welch_table(pairs_of_runs(-0.001));
    EXPECT_EQ(significance_mark(near, near.groups[1]), "n.s.");
}

TEST(ResultsCaption, NamesDataModelStepsPrecisionTestAndCorrection) {
    const std::string latex = results_latex(welch_table(pairs_of_runs(-0.2)), columns_of("paper"));
    EXPECT_THAT(latex, StartsWith("% This table needs \\usepackage{booktabs} and \\usepackage{graphicx}.\n"));
    EXPECT_THAT(latex, HasSubstr("\\begin{table}\n\\centering\n\\caption{Best validation loss in nats per token, mean "
                                 "$\\pm$ sample standard deviation over n = 3 seeds. Data set: tinyshakespeare. "));
    EXPECT_THAT(latex, HasSubstr(" 4 layers, "));
    EXPECT_THAT(latex, HasSubstr("Training: 2k steps, batch size "));
    EXPECT_THAT(latex,
                HasSubstr("Precision: float32. Baseline: $\\theta$ 10k. Test against the baseline: Welch's t test, "
                          "two-sided, p after Holm's correction over 1 comparison. Relevance margin: 0.1 \\% of the "
                          "baseline's mean. Marks: *** p $<$ 0.001, "));
    EXPECT_THAT(latex, HasSubstr("}\n\\label{tab:results}\n"));
    EXPECT_THAT(latex, Not(HasSubstr("sidewaystable}")));
}

TEST(ResultsCaption, ThePairedTestIsAppliedAndNamed) {
    ResultsOptions options;
    const std::string welch = results_latex(welch_table(pairs_of_runs(-0.006), options), columns_of("paper"));
    options.test = TestKind::paired;
    const ResultsTable table = welch_table(pairs_of_runs(-0.006), options);
    const std::string paired = results_latex(table, columns_of("paper"));
    EXPECT_THAT(welch, AllOf(HasSubstr(" & $p$ (Holm) & result on this text"), HasSubstr(" & n.s. \\\\\n")));
    EXPECT_THAT(paired, AllOf(HasSubstr("$p$ (Holm)"), HasSubstr("the t test paired by seed"),
                              HasSubstr("$^{**}$ \\\\\n"), Not(HasSubstr("Welch"))));
    EXPECT_THAT(paired, HasSubstr("$" + p_text(table.groups[1].paired.p_holm) + "$"));
}

TEST(ResultsLatexTable, WideTablesAreTurned) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const std::string wide = results_latex(table);
    EXPECT_THAT(wide, HasSubstr("\\usepackage{booktabs}, \\usepackage{rotating} and \\usepackage{graphicx}."));
    EXPECT_THAT(wide, HasSubstr("% The table has 16 columns: tables of more than 8 are rotated by 90 degrees"));
    EXPECT_THAT(wide, HasSubstr("\\begin{sidewaystable}"));
    EXPECT_THAT(wide, HasSubstr("\\resizebox{\\linewidth}{!}{%\n\\begin{tabular}"));
    const std::string narrow = results_latex(table, columns_of("paper"));
    EXPECT_THAT(narrow, Not(HasSubstr("rotating")));
    EXPECT_THAT(narrow, HasSubstr("\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"))
        << "the table is made smaller if it is wider than a column";
}

TEST(ResultsLatexTable, PrintsTheBestMeanInBold) {
    const ResultsTable table = welch_table(theta_paper_runs());
    TableStyle style = columns_of("paper");
    EXPECT_THAT(results_latex(table, style), Not(HasSubstr("mathbf")));
    style.best_bold = true;
    const std::string latex = results_latex(table, style);
    EXPECT_THAT(latex, HasSubstr("5000 & $\\mathbf{1.4662 \\pm 0.0014}$ & 3 & "));
    EXPECT_EQ(latex.find("mathbf"), latex.rfind("mathbf"));
    EXPECT_THAT(
        latex,
        HasSubstr("Bold numbers are the best means of a column and data set, where all groups have the same seeds.}"));
    std::vector<ResultRun> fewer = theta_paper_runs();
    fewer.pop_back();  // means over other seeds are no comparison
    EXPECT_THAT(results_latex(welch_table(fewer), style), Not(HasSubstr("mathbf")));
}

TEST(SettingWords, AreThoseOfTheWindow) {
    EXPECT_EQ(setting_title("learning_rate"), "learning rate");
    EXPECT_EQ(setting_words("theta", 10000), "10k");
    EXPECT_EQ(setting_words("fraction", 0.25), "25 %");
    EXPECT_EQ(setting_words("fraction", 0.0625, 32), "2 ch");
    EXPECT_EQ(setting_words("fraction", 0.0625, 64), "6.25 %");
    EXPECT_EQ(setting_words("fraction", 0.0625), "6.25 %") << "the head dimension is unknown";
    EXPECT_EQ(setting_words("bias", true), "yes");
    EXPECT_EQ(setting_words("data", "/home/a/text.txt"), "text.txt");
    EXPECT_EQ(setting_words("theta", nullptr), "–");
    const ResultsTable table = welch_table(theta_paper_runs());
    EXPECT_EQ(group_words(table, table.groups[3]), "θ 10k");
}

// Results said "6.25 %" where Train says "2 ch".
TEST(SettingWords, AFractionIsTheSameInLabelsTablesAndSentences) {
    std::vector<ResultRun> runs;
    for (const double fraction : {0.0625, 0.25}) {
        for (int seed = 1; seed <= 2; ++seed) {
            runs.push_back(
                result_run({{"fraction", fraction}, {"width", 64}, {"heads", 2}, {"seed", seed}}, 1.5 + 0.1 * seed));
        }
    }
    RunSpec spec;
    spec.width = 64;
    spec.heads = 2;
    spec.fraction = 0.0625;
    EXPECT_THAT(label_of(spec), HasSubstr("2 ch"));
    const ResultsTable table = welch_table(runs);
    EXPECT_EQ(group_words(table, table.groups[0]), "fraction 2 ch");
    EXPECT_EQ(group_label(table, table.groups[0]), "fraction = 2 ch");
    EXPECT_EQ(group_label(table, table.groups[1]), "fraction = 25 %");
    EXPECT_THAT(results_text(table), HasSubstr("2 ch"));
    EXPECT_THAT(results_text(table), Not(HasSubstr("0.0625")));
    EXPECT_THAT(results_latex(table), HasSubstr("25 \\%"));
    EXPECT_THAT(results_csv(table), HasSubstr("0.0625")) << "files keep the number";
}

}  // namespace
}  // namespace ropelab
