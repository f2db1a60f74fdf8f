#include "core/results/results_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/results/results_cells.h"
#include "core/results/results_verdict.h"
#include "core/store/imported.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(ResultsTable, GroupsRunsThatDifferOnlyInTheirSeed) {
    const ResultsTable table = results_table(theta_paper_runs());
    EXPECT_THAT(table.swept, ElementsAre("theta"));
    ASSERT_EQ(table.groups.size(), 6U);
    for (const ResultGroup& group : table.groups) EXPECT_THAT(group.seeds, ElementsAre(1337, 1338, 1339));
    EXPECT_EQ(table.groups[2].settings.at("theta"), 5000);
    EXPECT_NEAR(table.groups[2].described[0].mean, 1.4662, 1e-12);
    EXPECT_NEAR(table.groups[2].described[0].standard_deviation, 0.0014, 1e-12);
}

TEST(ResultsTable, TestIsPairedWhereTheGroupsShareSeeds) {
    std::vector<ResultRun> runs = theta_paper_runs();
    EXPECT_EQ(results_table(runs).test, TestKind::paired);
    ResultsOptions options;
    options.test = TestKind::student;
    EXPECT_EQ(results_table(runs, options).test, TestKind::student);
    runs.back().settings["seed"] = 7;
    EXPECT_EQ(results_table(runs).test, TestKind::paired) << "two of three seeds are shared";
    runs.pop_back();
    EXPECT_EQ(results_table(runs).test, TestKind::paired);
    const std::vector<ResultRun> single = {result_run({{"theta", 500}, {"seed", 1}}, 1.5),
                                           result_run({{"theta", 1000}, {"seed", 1}}, 1.2)};
    EXPECT_EQ(results_table(single).test, TestKind::welch) << "one seed has no pairs";
}

// The runs of an extended lab are in the order of their training.
TEST(ResultsTable, GroupsCanBeInTheOrderOfTheirSettings) {
    std::vector<ResultRun> runs;
    for (const int theta : {500000, 2000, 10000}) {
        for (const char* position : {"rope", "none"}) {
            runs.push_back(result_run({{"theta", theta}, {"position", position}, {"seed", 1}}, 1.5));
        }
    }
    std::vector<std::string> labels;
    ResultsTable table = results_table(runs);
    sort_by_settings(table);
    EXPECT_EQ(group_label(table, table.groups[table.baseline]), "position = rope, theta = 10000");
    for (const ResultGroup& group : table.groups) labels.push_back(group_label(table, group));
    const std::vector<std::string> expected = {"position = rope, theta = 2000",   "position = rope, theta = 10000",
                                               "position = rope, theta = 500000", "position = none, theta = 2000",
                                               "position = none, theta = 10000",  "position = none, theta = 500000"};
    EXPECT_EQ(labels, expected);
}

// Their θ has no effect and is blank, so that it cannot explain a place among the others.
TEST(ResultsTable, GroupsWithoutRotationAreBeforeThoseWithATheta) {
    std::vector<ResultRun> runs;
    for (const auto& [theta, fraction] : {std::pair(100, 1.0), std::pair(10000, 0.25), std::pair(10000, 0.0)})
        runs.push_back(result_run({{"theta", theta}, {"fraction", fraction}, {"seed", 1}}, 1.5));
    ResultsTable table = results_table(runs);
    sort_by_settings(table);
    std::vector<double> fractions;
    for (const ResultGroup& group : table.groups) fractions.push_back(group.settings.at("fraction").get<double>());
    EXPECT_EQ(fractions, (std::vector<double>{0, 1, 0.25}));
}

TEST(ResultsTable, ABaselineOfSeveralSettingsCanBeOneText) {
    const std::map<std::string, std::string> expected = {{"theta", "500"}, {"rotated_layers", "1,3"}};
    EXPECT_EQ(baseline_settings({"theta=500, rotated_layers=1,3"}), expected);
    EXPECT_EQ(baseline_settings({"rotated_layers=1,3", "theta=500"}), expected);
}

// The paper claims p < 0.01 for θ = 5,000. Its numbers give p = 0.016 (Student) and 0.031 (Welch); after correction for
// the five comparisons of the column, no difference is significant.
TEST(ResultsTable, RecomputesTheTableOfTheThetaPaper) {
    const ResultsTable table = results_table(theta_paper_runs());
    EXPECT_EQ(table.groups[table.baseline].settings.at("theta"), 10000);  // the default theta
    EXPECT_FALSE(table.groups[table.baseline].difference_percent);
    EXPECT_FALSE(table.groups[table.baseline].student.p);
    const ResultGroup& best = table.groups[2];
    EXPECT_NEAR(*best.difference_percent, -0.52, 0.005);
    EXPECT_NEAR(*best.student.p, 0.016, 0.0005);
    EXPECT_NEAR(*best.welch.p, 0.031, 0.0005);
    EXPECT_NEAR(*best.student.p_holm, 5 * *best.student.p, 1e-12);  // the smallest of five p values
    for (const ResultGroup& group : table.groups) {
        if (group.student.p_holm) {
            EXPECT_GT(*group.student.p_holm, 0.05);
        }
    }
}

TEST(ResultsTable, ComparesPairsOfEqualSeed) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 4; ++seed) {
        // The seeds differ widely, and with each seed the other theta is better by about the same amount.
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, 1.0 + seed));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed}}, 1.0 + seed - 0.1 - 0.001 * (seed % 2)));
    }
    runs.push_back(result_run({{"theta", 500}, {"seed", 99}}, 50));  // no other run has this seed
    const ResultsTable table = results_table(runs);
    const ResultGroup& group = table.groups[1];
    EXPECT_GT(*group.student.p, 0.3);
    EXPECT_LT(*group.paired.p, 1e-4);
}

TEST(ResultsTable, OrdersSweptSettingsAndFillsInDefaults) {
    const std::vector<ResultRun> runs = {
        result_run({{"seed", 1}, {"fraction", 0.25}, {"from_the_future", 1}}, 1),
        result_run({{"seed", 1}, {"theta", 500}}, 2),
        result_run({{"seed", 1}, {"theta", 10000.0}, {"fraction", nullptr}}, 3),
    };
    const ResultsTable table = results_table(runs);
    EXPECT_THAT(table.swept, ElementsAre("theta", "fraction", "from_the_future"));
    ASSERT_EQ(table.groups.size(), 3U);
    EXPECT_EQ(setting_text(table.groups[0].settings.at("theta")), "10000");
    EXPECT_EQ(setting_text(table.groups[2].settings.at("fraction")), "1");
    EXPECT_EQ(table.groups[1].settings.at("from_the_future"), nlohmann::json());
}

TEST(ResultsTable, UsesTheGivenBaseline) {
    ResultsOptions options;
    options.baseline = {{"theta", "50k"}};
    const ResultsTable table = results_table(theta_paper_runs(), options);
    EXPECT_EQ(table.baseline, 5U);
    options.baseline = {{"theta", "7"}};
    EXPECT_THAT([&] { results_table(theta_paper_runs(), options); },
                ThrowsMessage<BadInput>(HasSubstr("No runs have theta=7")));
    EXPECT_THAT([&] { results_table({}, options); }, ThrowsMessage<BadInput>(HasSubstr("theta=7")));
}

// Theta has its default in some runs, fraction in none.
TEST(ResultsTable, BaselineIsTheGroupWithTheMostDefaults) {
    std::vector<ResultRun> runs;
    for (const double theta : {500.0, 10000.0}) {
        for (const double fraction : {0.25, 0.5}) {
            runs.push_back(result_run({{"theta", theta}, {"fraction", fraction}}, 1.5));
        }
    }
    EXPECT_EQ(results_table(runs).baseline, 2U);
    runs.push_back(result_run({{"theta", 10000.0}, {"fraction", 1.0}}, 1.5));
    EXPECT_EQ(results_table(runs).baseline, 4U);
    for (ResultRun& run : runs) run.settings["theta"] = 500.0;
    EXPECT_EQ(results_table(std::span(runs).first(2)).baseline, 0U)
        << "no group has a default, so the first one is the baseline";
}

// The baseline may be given as a fraction, as a percentage or in channels of the heads of the run.
// Successive halving stops most settings, the first one too.
TEST(ResultsTable, BaselineOfEqualGroupsHasResults) {
    std::vector<ResultRun> runs;
    for (const double rate : {0.0001, 0.0002, 0.0004}) runs.push_back(result_run({{"learning_rate", rate}}, 1.5));
    runs[0].state = RunState::stopped;
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.baseline, 1U);
    EXPECT_THAT(results_text(table), HasSubstr("with this group; no group could be tested."));
}

TEST(ResultsTable, ParsesTheBaselineAsSettingsAreTyped) {
    std::vector<ResultRun> runs;
    for (const double fraction : {1.0, 0.25, 0.0625}) {
        runs.push_back(result_run({{"fraction", fraction}, {"width", 64}, {"heads", 2}, {"qk_norm", true}}, 1.5));
        runs.push_back(result_run({{"fraction", fraction}, {"width", 64}, {"heads", 2}, {"qk_norm", false}}, 1.6));
    }
    const auto baseline = [&](const std::vector<std::string>& typed) {
        ResultsOptions options;
        options.baseline = baseline_settings(typed);
        return results_table(runs, options).baseline;
    };
    EXPECT_EQ(baseline({"fraction=25%"}), 2U);
    EXPECT_THROW(baseline({"fraction=25%", "fraction=100%"}), BadInput);
    EXPECT_EQ(baseline({"fraction=25 %"}), 2U);
    EXPECT_EQ(baseline({"fraction=0.25"}), 2U);
    EXPECT_EQ(baseline({"fraction=8 ch"}), 2U);
    EXPECT_EQ(baseline({"fraction=2 ch", "qk_norm=false"}), 5U);
    EXPECT_EQ(baseline({"fraction=2 ch", "qk_norm=1"}), 4U);
    for (const char* none : {"fraction=26%", "fraction=900 ch", "fraction=many"}) {
        EXPECT_THROW(baseline({none}), BadInput) << none;
    }
}

TEST(ResultsTable, ComparesTheSelectedMeasure) {
    ResultsOptions options;
    options.compare = "bits_per_character";
    const ResultsTable table = results_table(theta_paper_runs(), options);
    EXPECT_NEAR(table.groups[0].described[table.compared].mean, 1.4728 / std::numbers::ln2, 1e-12);
    EXPECT_NEAR(*table.groups[2].student.p, *results_table(theta_paper_runs()).groups[2].student.p, 1e-12);
    options.compare = "best_validation_los";
    EXPECT_THAT([&] { results_table(theta_paper_runs(), options); },
                ThrowsMessage<BadInput>(HasSubstr("did you mean best_validation_loss?")));
}

TEST(ResultsTable, ExcludesRunsThatDidNotFinish) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[0].state = RunState::stopped;
    runs[1].summary.reset();
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.groups[0].unfinished, 2);
    EXPECT_EQ(table.groups[0].summaries.size(), 1U);
    EXPECT_FALSE(table.groups[0].student.p);
    ResultsOptions options;
    options.unfinished = true;
    const ResultsTable all = results_table(runs, options);
    EXPECT_EQ(all.groups[0].summaries.size(), 2U);
    EXPECT_EQ(all.groups[0].stopped, 1);
    EXPECT_THAT(caption_words(all), HasSubstr("; 1 run stopped earlier."));
    EXPECT_THAT(table_notes(all, {}), Contains(HasSubstr("the mean contains 1 run that did not finish")));
    EXPECT_EQ(table.groups[0].stopped, 0);
}

TEST(ResultsTable, DoesNotCompareDifferentSyntheticTexts) {
    for (const char* key : {"data_seed", "data_length"}) {
        std::vector<ResultRun> runs;
        for (const int value : {30000, 60000}) {
            for (const int seed : {1, 2, 3}) {
                runs.push_back(result_run({{key, value}, {"seed", seed}}, 1.5 + 1e-6 * value + 0.01 * seed));
            }
        }
        const ResultsTable table = results_table(runs);
        ASSERT_EQ(table.groups.size(), 2U);
        EXPECT_FALSE(table.groups[0].paired.p || table.groups[1].paired.p) << key;
    }
}

TEST(ResultsTable, SaysThatACharacterOfByteTokensIsAByte) {
    const std::vector<ResultRun> runs = {result_run({{"tokenizer", "bytes"}, {"seed", 1}}, 1.5),
                                         result_run({{"tokenizer", "characters"}, {"seed", 1}}, 1.6)};
    const ResultsTable table = results_table(runs);
    const auto notes = table_notes(table, results_columns(table));
    EXPECT_THAT(notes, Contains(HasSubstr("With tokenizer=bytes, a character is a byte")));
}

TEST(ResultsTable, IncludesEachSeedOnce) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs.push_back(result_run({{"theta", 500}, {"seed", 1338}}, 9));
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.groups[0].repeated, 1);
    EXPECT_THAT(table.groups[0].seeds, ElementsAre(1337, 1338, 1339));
    EXPECT_EQ(table.groups[0].summaries[1].best_validation_loss, 9);  // the last run replaces the earlier one
}

// As labs of two machines have them.
TEST(ResultsTable, WarnsOfEqualRunsThatEndedDifferently) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs.push_back(runs[1]);
    EXPECT_THAT(condition_warnings(results_table(runs)), IsEmpty());
    runs.back().summary->best_validation_loss += 0.25;
    EXPECT_THAT(
        condition_warnings(results_table(runs)),
        ElementsAre("Warning: runs with equal settings and seed have different losses: theta = 500 (by up to 0.25). "
                    "Of these runs, the one that was added last counts."));
    runs.back() = runs[1];
    runs.back().summary->final_training_loss += 0.5;  // the best losses are equal
    EXPECT_THAT(condition_warnings(results_table(runs)), ElementsAre(HasSubstr("theta = 500 (by up to 0.50). Of")));
    const ResultRun whole = runs[1];
    for (double RunSummary::*loss : {&RunSummary::best_validation_loss, &RunSummary::final_training_loss}) {
        for (const bool is_last : {true, false}) {  // neither order of a number and NaN had a warning
            runs.back() = runs[1] = whole;
            (*(is_last ? runs.back() : runs[1]).summary).*loss = NAN;
            EXPECT_THAT(condition_warnings(results_table(runs)),
                        Contains(HasSubstr("theta = 500 (one of them is not a finite number). Of these runs")));
        }
    }
    runs.back() = runs[1];  // both have no number
    EXPECT_THAT(condition_warnings(results_table(runs)), IsEmpty());
}

// Of imported runs no setting says how often they were evaluated.
TEST(ResultsTable, BestLossesOfImportedRunsNeedEqualNumbersOfEvaluations) {
    std::vector<ResultRun> runs = theta_paper_runs();
    for (ResultRun& run : runs) {
        run.settings[std::string(imported_setting)] = "wandb";
        run.evaluations.resize(6);
    }
    const std::size_t best = measure_index("best_validation_loss"), last = measure_index("final_validation_loss");
    EXPECT_EQ(results_table(runs).compared, best);
    for (std::size_t i = 0; i < 3; ++i) runs[i].evaluations.resize(42);
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.compared, last);
    EXPECT_TRUE(table.groups[0].decided().p);
    EXPECT_THAT(condition_warnings(table), ElementsAre(HasSubstr("is compared instead of the best loss")));
    const ResultsTable chosen = results_table(runs, {.compare = "best_validation_loss"});
    EXPECT_FALSE(chosen.groups[0].decided().p);
    EXPECT_THAT(verdict_of(chosen, chosen.groups[0]).words, HasSubstr("more or less often"));
    EXPECT_TRUE(chosen.groups[1].decided().p) << "evaluated as often as the baseline";
}

TEST(ResultsTable, ALowerNegativeLossIsAnImprovement) {
    std::vector<ResultRun> runs;
    for (const int seed : {1, 2, 3}) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, -0.8 + 0.01 * seed));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed}}, -1 + 0.0123 * seed));
    }
    const ResultGroup group = welch_table(runs).groups[1];
    EXPECT_NEAR(*group.difference, -0.1954, 1e-12);
    EXPECT_NEAR(*group.difference_percent, -100 * 0.1954 / 0.78, 1e-9);
    EXPECT_NEAR(*group.improvement_percent, 100 * 0.1954 / 0.78, 1e-9);
}

TEST(ResultsTable, LossThatIsNotFiniteIsExcludedFromTheMean) {
    std::vector<ResultRun> runs = theta_paper_runs();
    runs[0].summary->best_validation_loss = std::numeric_limits<double>::quiet_NaN();
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.groups[0].described[0].n, 2);
    EXPECT_TRUE(std::isfinite(table.groups[0].described[0].mean));
    EXPECT_TRUE(table.groups[0].student.p);
}

TEST(ResultsTable, IsEmptyWithoutRuns) {
    const ResultsTable table = results_table({});
    EXPECT_TRUE(table.groups.empty());
    EXPECT_TRUE(table.swept.empty());
    EXPECT_TRUE(results_json(table)["groups"].empty());
}

TEST(ResultsTable, ThrowsIfSettingsAreNotAnObject) {
    const std::vector<ResultRun> runs = {result_run(nlohmann::json::array({1}), 1)};
    EXPECT_THROW(results_table(runs), BadInput);
}

// Returns runs with three bases on each of two data sets, whose losses differ in level.
TEST(ResultsTable, NamesOfSettingsAreShownInAllForms) {
    std::vector<ResultRun> runs = theta_paper_runs();
    const std::string unnamed = results_csv(results_table(runs));
    EXPECT_TRUE(unnamed.starts_with("theta,")) << "without names there is no column for them";
    for (ResultRun& run : runs) {
        if (run.settings["theta"] == 500) run.setting_name = "short, base";
    }
    const ResultsTable table = results_table(runs);
    ASSERT_TRUE(has_names(table));
    EXPECT_EQ(group_name(table, table.groups[0]), "short, base");
    EXPECT_EQ(group_label(table, table.groups[0]), "short, base");
    EXPECT_EQ(group_words(table, table.groups[0]), "short, base");
    EXPECT_EQ(group_label(table, table.groups[1]), "theta = 1000");
    const std::string csv = results_csv(table);
    EXPECT_TRUE(csv.starts_with("name,theta,"));
    EXPECT_NE(csv.find("\"short, base\",500,"), std::string::npos);
    EXPECT_NE(results_text(table, {{"settings", "n"}}).find("short, base"), std::string::npos);
    EXPECT_NE(results_latex(table, {{"paper"}}).find("short, base"), std::string::npos);
    EXPECT_EQ(results_json(table)["groups"][0]["name"], "short, base");
    EXPECT_FALSE(results_json(table)["groups"][1].contains("name"));
}

TEST(ResultsTable, EqualNamesAreFollowedByWhatDiffers) {
    std::vector<ResultRun> runs = theta_paper_runs();
    for (ResultRun& run : runs) {
        if (run.settings["theta"] <= 1000) run.setting_name = "base";
    }
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(group_name(table, table.groups[0]), "base (θ 500)");
    EXPECT_EQ(group_name(table, table.groups[1]), "base (θ 1k)");
    EXPECT_EQ(group_name(table, table.groups[2]), "");
}

std::vector<ResultRun> two_data_sets() {
    std::vector<ResultRun> runs;
    for (const char* data : {"tinyshakespeare", "text8"}) {
        const double level = data == std::string_view("text8") ? 3 : 1;
        for (const int theta : {500, 1000, 10000}) {
            for (int seed = 1; seed <= 4; ++seed) {
                runs.push_back(result_run({{"data", data}, {"theta", theta}, {"seed", seed}},
                                          level + 0.001 * (seed * seed % 5) - (theta == 500 ? 0.1 : 0) +
                                              (theta == 1000 ? 0.0001 * seed : 0)));
            }
        }
    }
    return runs;
}

TEST(ResultsTable, ComparesGroupsOfTheSameDataSet) {
    ResultsTable table = welch_table(two_data_sets());
    ASSERT_EQ(table.groups.size(), 6U);
    EXPECT_EQ(table.baseline, 2U);  // theta is at its default, although neither data set is
    for (int time = 0; time < 2; ++time) {
        for (const ResultGroup& group : table.groups) {
            ASSERT_TRUE(group.against);
            const ResultGroup& baseline = *table.baseline_of(group);
            EXPECT_EQ(baseline.settings.at("theta"), 10000);
            EXPECT_EQ(baseline.settings.at("data"), group.settings.at("data"));
            EXPECT_EQ(table.is_baseline(group), group.settings.at("theta") == 10000);
            EXPECT_EQ(group.comparisons, 2);
            if (group.settings.at("theta") == 500) {
                EXPECT_NEAR(*group.difference, -0.1, 1e-12);
                // p is corrected for two comparisons, not for five.
                EXPECT_DOUBLE_EQ(*group.welch.p_holm, 2 * *group.welch.p);
                EXPECT_THAT(verdict_of(table, group).words, HasSubstr("2 comparisons"));
            }
        }
        EXPECT_EQ(table.comparisons(), 4);
        sort_groups(table, "-theta");  // sorting must keep the baseline of each group
    }
}

TEST(ResultsTable, TextNamesTheBaselineOfEachDataSet) {
    ResultsOptions options;
    options.baseline = {{"data", "text8"}, {"theta", "500"}};
    const ResultsTable table = results_table(two_data_sets(), options);
    EXPECT_EQ(table.baseline, 3U);
    EXPECT_EQ(table.groups[2].against, 0U);
    EXPECT_EQ(table.groups[5].against, 3U);
    const std::string text = results_text(table);
    EXPECT_THAT(text, HasSubstr("Baseline: data = tinyshakespeare, theta = 500."));
    EXPECT_THAT(text, HasSubstr("Baseline: data = text8, theta = 500."));
    EXPECT_EQ(results_json(table).at("groups").at(2).at("baseline").at("data"), "tinyshakespeare");
}

TEST(ResultsTable, DataSetWithoutABaselineIsNotTested) {
    std::vector<ResultRun> runs = two_data_sets();
    std::erase_if(runs, [](const ResultRun& run) {
        return run.settings.at("data") == "text8" && run.settings.at("theta") == 10000;
    });
    const ResultsTable table = results_table(runs);
    const ResultGroup& alone = table.groups[3];
    EXPECT_FALSE(alone.against);
    EXPECT_FALSE(alone.difference);
    EXPECT_EQ(verdict_of(table, alone).kind, Verdict::Kind::untested);
    EXPECT_THAT(verdict_of(table, alone).words, HasSubstr("no group of this data set has the baseline's setting"));
}

}  // namespace
}  // namespace ropelab
