#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

#include "core/contract/training_clock.h"
#include "core/plan/layout.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "core/settings/keys.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string full_text(const ResultsTable& table) {
    return results_text(table, {.columns = {"full"}});
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

// Returns the fields of a CSV line that has no quotation marks.
std::vector<std::string> fields_of(std::string line) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> result(1);
    for (const char c : line) {
        if (c == ',') {
            result.emplace_back();
        } else {
            result.back() += c;
        }
    }
    return result;
}

TEST(ResultsText, ShowsMeansDeviationsAndTests) {
    const std::string text = full_text(welch_table(theta_paper_runs()));
    EXPECT_THAT(text, HasSubstr("1.4662 ± 0.0014"));
    EXPECT_THAT(text, HasSubstr("+0.52"));  // an improvement: the loss is lower
    EXPECT_THAT(text, HasSubstr("0.016"));
    EXPECT_THAT(text, HasSubstr("0.031"));
    EXPECT_THAT(text, HasSubstr("Baseline: theta = 10000."));
    EXPECT_THAT(text, HasSubstr("over 5 comparisons"));
    EXPECT_THAT(text, Not(HasSubstr("whole val")));  // no run has this measure
    EXPECT_THAT(text, HasSubstr("The seeds of a group share one data set"));
    EXPECT_THAT(text, HasSubstr("Welch's t test detects with 80 % power"));
}

TEST(ResultsText, NotesExcludedRuns) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[0].state = RunState::failed;
    runs[3].summary->best_validation_loss = std::numeric_limits<double>::infinity();
    const std::string text = full_text(welch_table(runs));
    EXPECT_THAT(text, HasSubstr("theta = 500: the group excludes 1 run that failed or diverged."));
    EXPECT_THAT(text, HasSubstr("theta = 1000: the group excludes 1 run without a finite best_validation_loss"));
    std::vector<ResultRun> none = theta_paper_runs();
    for (std::size_t i = 0; i < 3; ++i) none[i].state = RunState::failed;
    EXPECT_THAT(full_text(welch_table(none)),
                HasSubstr("theta = 500: the group excludes 3 runs that failed or diverged, so it has no mean."));
    const std::vector<std::string> csv = lines_of(results_csv(welch_table(runs)));
    EXPECT_TRUE(csv[0].ends_with(
        ",survivors_only,runs,unfinished,stopped,failed,chosen_precision,chosen_device,chosen_kernels\r"))
        << csv[0];
    EXPECT_TRUE(csv[1].ends_with(",true,3,0,0,1,,,\r")) << csv[1];
    EXPECT_TRUE(csv[2].ends_with(",false,3,0,0,0,,,\r")) << csv[2];
    EXPECT_THAT(text, HasSubstr("Its mean and comparison cover only the surviving runs."));
    EXPECT_THAT(results_latex(welch_table(runs)), HasSubstr("\n500 & 2 of 3 runs; 1 failed or diverged & "));
}

TEST(ResultsText, TimesOfACohortHaveNoDeviationAndNoTest) {
    std::vector<ResultRun> runs = theta_paper_runs();
    EXPECT_THAT(full_text(welch_table(runs)), HasSubstr("share one clock"));
    // The deviation of a single measurement is omitted.
    EXPECT_THAT(full_text(welch_table(runs)), Not(HasSubstr("± 0.0 ")));
    EXPECT_THAT(results_latex(welch_table(runs)), Not(HasSubstr("\\pm 0.0$")));
    ResultsOptions seconds;
    seconds.compare = "seconds";
    EXPECT_THAT(full_text(welch_table(runs, seconds)),
                HasSubstr("No test: training times are one measurement per group"));
    // The runs of an extended lab have several clocks, but no more is known of the machine's load.
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].summary->seconds += static_cast<double>(i % 3);
    EXPECT_THAT(full_text(welch_table(runs)), AllOf(HasSubstr("share one clock"), HasSubstr(" 301.0 ")));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].conditions = timed_by(to_text({"session", static_cast<std::int64_t>(i), true}));
    }
    EXPECT_THAT(full_text(welch_table(runs)), AllOf(Not(HasSubstr("clock")), HasSubstr("301.0 ± 1.0")));
}

TEST(ResultsCsv, ContainsTheExactNumbers) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const std::vector<std::string> lines = lines_of(results_csv(table));
    ASSERT_EQ(lines.size(), 7U);
    const std::vector<std::string> head = fields_of(lines[0]);
    EXPECT_EQ(head[0], "theta");
    EXPECT_EQ(head[2], "best_validation_loss");
    for (std::size_t i = 0; i < 6; ++i) {
        const std::vector<std::string> fields = fields_of(lines[i + 1]);
        ASSERT_EQ(fields.size(), head.size());
        EXPECT_EQ(fields[0], setting_text(table.groups[i].settings.at("theta")));
        EXPECT_EQ(parse_number(fields[2]), table.groups[i].described[0].mean);
        EXPECT_EQ(parse_number(fields[3]), table.groups[i].described[0].standard_deviation);
        EXPECT_EQ(fields[4], "3");
        EXPECT_EQ(fields[8], "");  // whole_validation_loss was not measured
    }
    const std::vector<std::string> baseline = fields_of(lines[4]);  // has the columns compared, test and baseline
    const auto column = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
    };
    EXPECT_EQ(baseline[column("verdict")], "baseline");
    EXPECT_EQ(baseline[column("p_welch")], "");
    EXPECT_EQ(baseline[column("compared")], "best_validation_loss");
    EXPECT_EQ(baseline[column("test")], "") << "a baseline has no test";
    EXPECT_EQ(fields_of(lines[3])[column("test")], "welch");
    EXPECT_EQ(baseline[column("baseline")], "theta = 10000");
    const std::vector<std::string> best = fields_of(lines[3]);
    EXPECT_EQ(parse_number(best[column("p_welch_holm")]), *table.groups[2].welch.p_holm);
    EXPECT_EQ(parse_number(best[column("detectable")]), *table.groups[2].welch.detectable);
    EXPECT_EQ(parse_number(best[column("difference_low")]), table.groups[2].welch.estimate->low);
    EXPECT_EQ(parse_number(best[column("difference_high")]), table.groups[2].welch.estimate->high);
    EXPECT_EQ(best[column("runs")], "3");
    EXPECT_EQ(parse_number(best[column("confidence_low")]), table.groups[2].described[0].confidence_low);
    EXPECT_EQ(parse_number(best[column("improvement_percent")]), *table.groups[2].improvement_percent);
}

TEST(ResultsCsv, HasAllColumnsAlsoWithoutTestsAndTargetLoss) {
    std::string measured = "n,";
    for (const Measure& measure : measures()) {
        for (const char* part : {"", "_std", "_n"}) measured += std::string(measure.name) + part + ",";
    }
    measured += "milliseconds_per_step,milliseconds_per_step_per_billion,";
    const std::string compared =
        "texts,standard_error,confidence_low,confidence_high,difference,difference_low,difference_high,bootstrap_low,"
        "bootstrap_high,difference_percent,"
        "improvement_percent,p_student,p_student_holm,p_welch,p_welch_holm,p_paired,p_paired_holm,p_permutation,p_"
        "permutation_"
        "holm,detectable,"
        "detectable_paired,compared,p_holm,test,pairs,look,baseline,verdict,survivors_only,runs,unfinished,stopped,"
        "failed,"
        "chosen_precision,chosen_device,chosen_kernels\r";
    const std::vector<ResultRun> one_group = {result_run({{"theta", 500}, {"seed", 1}}, 1.5)};
    EXPECT_EQ(lines_of(results_csv(welch_table(one_group)))[0], measured + compared);
    ResultsOptions options;
    options.target_loss = 1.5;
    EXPECT_EQ(lines_of(results_csv(welch_table(theta_paper_runs(), options)))[0],
              "theta," + measured + "iterations_until,iterations_until_std,iterations_until_n," + compared);
}

// A mean that lacks runs says so also where it is not the compared one, which has the column n.
TEST(ResultsFormats, AMeanOfFewerRunsSaysSo) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[0].summary->final_validation_loss = std::nan("");
    runs[1].summary->test_loss = 1.3;
    const ResultsTable table = welch_table(runs);
    const std::string text = full_text(table);
    EXPECT_THAT(text, HasSubstr("1.7236 ± 0.0011 (2 of 3)"));
    EXPECT_THAT(text, HasSubstr(" 1.3000 (1 of 3)"));
    EXPECT_THAT(text, Not(HasSubstr("1.4728 ± 0.0016 (")));
    EXPECT_THAT(results_latex(table), HasSubstr("$1.7236 \\pm 0.0011$ (2 of 3)"));
    EXPECT_THAT(results_csv(table, {.columns = {"theta", "final_validation_loss_n"}}), HasSubstr("500,2\r\n1000,3"));
}

// A run of RoPE Lab beside imported ones.
TEST(ResultsFormats, ASettingThatAGroupDoesNotHaveIsADash) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs.resize(6);
    for (std::size_t i = 3; i < 6; ++i) runs[i].settings["imported"] = "wandb";
    const ResultsTable table = welch_table(runs);
    EXPECT_EQ(group_label(table, table.groups[0]), "theta = 500, imported = –");
    EXPECT_THAT(results_text(table), Not(HasSubstr("null")));
    EXPECT_THAT(results_csv(table, {.columns = {"imported"}}), HasSubstr("imported\r\n\r\nwandb"));
    EXPECT_TRUE(results_json(table)["groups"][0]["settings"]["imported"].is_null());
}

TEST(ResultsCsv, QuotesFieldsWithCommasAndQuotationMarks) {
    const std::vector<ResultRun> runs = {result_run({{"data", "a \"b\", c.txt"}, {"seed", 1}}, 1),
                                         result_run({{"data", "plain.txt"}, {"seed", 1}}, 2)};
    EXPECT_THAT(results_csv(welch_table(runs)), HasSubstr("\r\n\"a \"\"b\"\", c.txt\",1,"));
}

TEST(ResultsLatex, IsABooktabsTable) {
    const std::string latex = results_latex(welch_table(theta_paper_runs()));
    EXPECT_THAT(latex, HasSubstr("\\toprule\n$\\theta$ & $n$ & best val. loss"));
    EXPECT_THAT(latex, HasSubstr("5000 & 3 & $1.4662 \\pm 0.0014$"));
    EXPECT_THAT(latex, HasSubstr("& best val. loss (nats) & final val. loss (nats) & "));
    EXPECT_THAT(latex, HasSubstr(" & training time (s) & tokens/s & 95\\,\\% interval & std. error & "));
    EXPECT_THAT(latex, HasSubstr(" & $[1.4627, 1.4697]$ & "));
    EXPECT_THAT(latex, HasSubstr("\\bottomrule\n\\end{tabular}}\n\\end{sidewaystable}\n"));
    std::size_t separators = 0;
    for (const std::string& line : lines_of(latex)) {
        if (!line.ends_with("\\\\")) continue;
        const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), '&'));
        if (separators == 0) separators = count;
        EXPECT_EQ(count, separators) << line;
        EXPECT_THAT(latex, HasSubstr("{" + std::string(count + 1, 'r') + "}"));
    }
    EXPECT_GT(separators, 0U);
}

TEST(ResultsLatex, OmitsTheColumnsOfTestsForOneGroup) {
    const std::vector<ResultRun> one_group = {result_run({{"theta", 500}, {"seed", 1}}, 1.5)};
    EXPECT_THAT(
        results_latex(welch_table(one_group)),
        HasSubstr("\\begin{tabular}{rrrrrrrrr}\n\\toprule\n$n$ & best val. loss (nats) & final val. loss (nats) & "
                  "bits/char & final train loss (nats) & training time (s) & tokens/s & "
                  "95\\,\\% interval & std. error \\\\\n\\midrule\n1 & $1.5000$ & "));
    EXPECT_THAT(full_text(welch_table(one_group)), Not(HasSubstr("verdict")));
}

TEST(ResultsLatex, PutsNumbersIntoMathMode) {
    EXPECT_EQ(latex_number("1.4662 ± 0.0014"), "$1.4662 \\pm 0.0014$");
    EXPECT_EQ(latex_number("1.4627 … 1.4697"), "$[1.4627, 1.4697]$");
    EXPECT_EQ(latex_number("1200 ± 50 (2 of 3)"), "$1200 \\pm 50$ (2 of 3)");
    EXPECT_EQ(latex_number("– (0 of 3)"), "-- (0 of 3)");
    EXPECT_EQ(latex_number("<0.001"), "$<0.001$");
    EXPECT_EQ(latex_number(missing_cell), "--");
}

TEST(ResultsLatex, FormatsSmallNumbersAsPowersOfTen) {
    const std::vector<ResultRun> runs = {result_run({{"learning_rate", 1e-4}, {"seed", 1}}, 1),
                                         result_run({{"learning_rate", 2.5e-5}, {"seed", 1}}, 2),
                                         result_run({{"learning_rate", 0.01}, {"seed", 1}}, 2)};
    const std::string latex = results_latex(welch_table(runs));
    EXPECT_THAT(latex, HasSubstr("\n$10^{-4}$ & 1 & "));
    EXPECT_THAT(latex, HasSubstr("\n$2.5 \\times 10^{-5}$ & 1 & "));
    EXPECT_THAT(latex, HasSubstr("\n0.01 & 1 & "));
}

TEST(ResultsLatex, EscapesSpecialCharacters) {
    const std::vector<ResultRun> runs = {result_run({{"data", "50%_off&more.txt"}, {"seed", 1}}, 1),
                                         result_run({{"data", "plain.txt"}, {"seed", 1}}, 2)};
    EXPECT_THAT(results_latex(welch_table(runs)), HasSubstr("50\\%\\_off\\&more.txt & 1"));
}

// Each measure has a value of its own, so that no measure can stand for another.
TEST(ResultsJson, ContainsEachMeasureUnderItsOwnName) {
    RunSummary summary;
    summary.best_validation_loss = 2;
    summary.final_validation_loss = 3;
    summary.whole_validation_loss = 4;
    summary.final_training_loss = 5;
    summary.seconds = 6;
    summary.tokens_per_second = 7;
    summary.generated_tokens_per_second = 8;
    summary.bytes_per_token = 2;
    summary.test_loss = 9;
    const std::vector<ResultRun> runs = {{{{"seed", 1}}, "run", summary, RunState::finished}};
    const ResultsTable table = welch_table(runs);
    const nlohmann::json group = results_json(table)["groups"][0];
    const std::vector<std::string> lines = lines_of(results_csv(table));
    const std::vector<std::string> head = fields_of(lines[0]);
    const std::vector<std::string> fields = fields_of(lines[1]);
    const std::vector<std::pair<std::string, double>> expected = {{"best_validation_loss", 2},
                                                                  {"final_validation_loss", 3},
                                                                  {"whole_validation_loss", 4},
                                                                  {"test_loss", 9},
                                                                  {"final_training_loss", 5},
                                                                  {"bits_per_character", 2.8853900817779268},
                                                                  {"bits_per_byte", 1.4426950408889634},
                                                                  {"seconds", 6},
                                                                  {"tokens_per_second", 7},
                                                                  {"generated_tokens_per_second", 8}};
    ASSERT_EQ(expected.size(), measure_count);
    for (const auto& [name, value] : expected) {
        EXPECT_DOUBLE_EQ(group[name]["mean"].get<double>(), value) << name;
        EXPECT_DOUBLE_EQ(group[name]["values"][0].get<double>(), value) << name;
        const auto column = static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
        EXPECT_DOUBLE_EQ(parse_number(fields[column]), value) << name;
    }
}

TEST(ResultsJson, ContainsTheValuesOfEverySeedAndNullForMissingNumbers) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[1].summary->best_validation_loss = std::numeric_limits<double>::quiet_NaN();
    const nlohmann::json read = nlohmann::json::parse(results_json(welch_table(runs)).dump());
    EXPECT_EQ(read["compared"], "best_validation_loss");
    EXPECT_EQ(read["units"]["best_validation_loss"], "nats");
    EXPECT_EQ(read["units"]["tokens_per_second"], "tokens/s");
    EXPECT_EQ(read["baseline"]["theta"], 10000);
    const nlohmann::json& group = read["groups"][0];
    EXPECT_EQ(group["seeds"], nlohmann::json({1337, 1338, 1339}));
    EXPECT_EQ(group["best_validation_loss"]["values"][0], 1.4728 - 0.0016);
    EXPECT_TRUE(group["best_validation_loss"]["values"][1].is_null());
    EXPECT_EQ(group["best_validation_loss"]["n"], 2);
    EXPECT_TRUE(group["whole_validation_loss"]["mean"].is_null());
    EXPECT_EQ(group["whole_validation_loss"]["confidence_95"].size(), 2U);
    EXPECT_TRUE(read["groups"][3]["welch"]["p"].is_null());
    EXPECT_TRUE(read["groups"][2]["welch"]["p_holm"].is_number());
    EXPECT_EQ(read["groups"][2]["student"]["degrees_of_freedom"], 4);
    EXPECT_EQ(read["groups"][3]["verdict"]["kind"], "baseline");
    EXPECT_EQ(read["groups"][2]["verdict"]["kind"], "not significant");
}

// Sets locales with decimal commas. Streams use the C++ locale; printf and strtod use the C locale. A machine may have
// only the C locale "C".
class DecimalCommas {
 public:
    DecimalCommas() : old_(std::locale::global(std::locale(std::locale::classic(), new Commas))) {
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"}) {
            if (std::setlocale(LC_ALL, name)) break;
        }
    }
    ~DecimalCommas() {
        std::locale::global(old_);
        std::setlocale(LC_ALL, "C");
    }
    DecimalCommas(const DecimalCommas&) = delete;
    DecimalCommas& operator=(const DecimalCommas&) = delete;

 private:
    struct Commas : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    std::locale old_;
};

TEST(ResultsFormats, UseDecimalPointsInEveryLocale) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const auto all = [&] {
        return results_text(table) + results_csv(table) + results_latex(table) + results_json(table).dump();
    };
    const std::string before = all();
    const DecimalCommas commas;
    ASSERT_EQ((std::ostringstream() << 1234.5).str(), "1.234,5");
    EXPECT_EQ(all(), before);
}

TEST(ResultsFormat, FormatsCellsAndComputesTheirWidth) {
    EXPECT_EQ(rough_text(0.0996), "0.10");  // two digits, even if rounding adds a digit
    EXPECT_EQ(rough_text(0.0994), "0.099");
    EXPECT_EQ(rough_text(-0.996), "-1.0");
    EXPECT_EQ(rough_text(9.96), "10");
    EXPECT_EQ(rough_text(9.94), "9.9");
    EXPECT_EQ(rough_text(99.6), "100");
    EXPECT_EQ(fixed_text(-1e308, 4), "-1.0000e+308");
    EXPECT_EQ(fixed_text(999999999999999, 1), "999999999999999.0");
    EXPECT_EQ(p_words(0.0004), "p < 0.001");
    EXPECT_EQ(p_words(0.0164), "p = 0.016");
    EXPECT_EQ(csv_number(0.1), "0.1");
    EXPECT_EQ(csv_number(std::nan("")), "");
    EXPECT_EQ(csv_number(std::nullopt), "");
    EXPECT_EQ(width_of("θ = 10k ±"), 9U);
    EXPECT_EQ(width_of(""), 0U);
}

TEST(Table, HasTheSameCellsInEveryFormat) {
    Table table = Table::titled({"θ", "loss"}, "lr");
    table.rows = {{"10k", "1.5 ± 0.1"}, {}, {"a,b", "2"}};
    EXPECT_EQ(table.text(), "θ         loss\n10k  1.5 ± 0.1\n\na,b          2\n");
    EXPECT_EQ(table.csv("\n"), "θ,loss\n10k,1.5 ± 0.1\n\n\"a,b\",2\n");
    EXPECT_THAT(table.with_cells(latex_text).latex({"c", "tab:x", "% n\n"}),
                HasSubstr("{lr}\n\\toprule\n$\\theta$ & loss \\\\\n\\midrule\n10k & 1.5 $\\pm$ 0.1 \\\\\n\\midrule\n"
                          "a,b & 2 \\\\\n\\bottomrule\n"));
    table.rows.erase(table.rows.begin() + 1);
    EXPECT_EQ(table.markdown(), "| θ | loss |\n|---|---|\n| 10k | 1.5 ± 0.1 |\n| a,b | 2 |\n");
    EXPECT_THAT(table.html("c"), HasSubstr("<tr><th>θ</th><th>loss</th></tr>\n</thead>\n<tbody>\n<tr><td>10k</td>"));
}

TEST(Table, LatexKeepsCharactersWithoutACommand) {
    EXPECT_EQ(latex_text("5 % < θ_1 – 中"), "5 \\% $<$ $\\theta$\\_1 -- 中");
}

TEST(ResultsColumns, TheTimePerStepFollowsFromTheSpeed) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const RunSpec spec;
    std::map<std::string, double> numbers;
    for (const ResultsColumn& column : results_columns(table)) {
        if (column.name.starts_with("milliseconds")) numbers[column.name] = column.number(table.groups.front()).value();
    }
    const double milliseconds = 1000.0 * static_cast<double>(spec.batch * spec.context) / 250'000;
    EXPECT_NEAR(numbers.at("milliseconds_per_step"), milliseconds, 1e-9);
    EXPECT_NEAR(numbers.at("milliseconds_per_step_per_billion") * static_cast<double>(non_embedding_parameters(spec)),
                1e9 * milliseconds, 1);
}

}  // namespace
}  // namespace ropelab
