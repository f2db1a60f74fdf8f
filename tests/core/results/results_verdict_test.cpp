#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "core/contract/training_clock.h"
#include "core/results/results_compare.h"
#include "core/stats/t_test.h"
#include "core/store/imported.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

// Returns three runs with theta 10000 and three with theta 500, whose losses differ by about `difference`.
std::vector<ResultRun> two_groups(double difference) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 3; ++seed) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, 1.5 + 0.01 * seed));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed}}, 1.5 + 0.01 * seed + difference));
    }
    runs.back().summary->best_validation_loss += 0.002;  // the differences within pairs are not all equal
    return runs;
}

std::string thetas(const ResultsTable& table) {
    std::string result;
    for (const ResultGroup& group : table.groups) result += setting_text(group.settings.at("theta")) + " ";
    return result;
}

TEST(ResultsVerdict, TheHeadlineIsTheLargestDecidedDifferenceOrNothing) {
    const auto words = [](const ResultsTable& table) {
        return headline(table,
                        [](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); });
    };
    EXPECT_EQ(words(welch_table(two_groups(-0.2))),
              "Lowest loss on this text: θ 500; 0.20 nats below θ 10000 (3 seeds per group, p < 0.001)");
    EXPECT_EQ(words(welch_table(two_groups(0.2))),
              "Lowest loss on this text: θ 10000; 0.20 nats below θ 500 (3 seeds per group, p < 0.001)");
    EXPECT_EQ(words(results_table(two_groups(-0.2))),
              "Lowest loss on this text: θ 500; 0.20 nats below θ 10000 (3 seeds, p < 0.001)");
    EXPECT_EQ(words(welch_table(two_groups(-0.004))), "") << "undecided";
    std::vector<ResultRun> bytes = two_groups(-0.2);
    for (ResultRun& run : bytes) run.summary->bytes_per_token = 2;
    EXPECT_EQ(words(results_table(bytes, {.compare = "bits_per_byte", .baseline = {}})),
              "Lowest bits per byte on this text: θ 500; 0.14 bits per byte below θ 10000 (3 seeds, p < 0.001)");
    EXPECT_EQ(words(results_table({})), "");
}

// Tests of a fixed number of seeds are valid at their end only.
TEST(ResultsVerdict, NothingIsDecidedBeforeAllRunsEnd) {
    const auto words = [](const ResultsTable& table) {
        return headline(table,
                        [](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); });
    };
    std::vector<ResultRun> runs = two_groups(-0.2);
    for (const RunState state : {RunState::waiting, RunState::running, RunState::paused, RunState::stopped}) {
        runs.push_back(result_run({{"theta", 500}, {"seed", 4}}, 1.34));
        runs.back().state = state;
        const ResultsTable table = results_table(runs);
        EXPECT_EQ(table.open(), 1);
        EXPECT_THAT(words(table), StartsWith("Not decided until all runs end. Lowest loss so far on this text: θ 500; "
                                             "0.20 nats below θ 10000 (95 % interval "));
        const Verdict verdict = verdict_of(table, table.groups[1]);
        EXPECT_EQ(to_string(verdict), "better so far");
        EXPECT_THAT(verdict.words, StartsWith("Not decided until all runs end (1 run left). So far: Better on this "));
        EXPECT_EQ(significance_mark(table, table.groups[1]), "open");
        EXPECT_EQ(to_string(verdict_of(table, table.groups[0])), "baseline");
        runs.back().excluded = true;
        EXPECT_EQ(to_string(verdict_of(results_table(runs), results_table(runs).groups[1])), "better");
        runs.pop_back();
    }
    runs.push_back(result_run({{"theta", 700}, {"seed", 1}}, 1.9));
    runs.back().state = RunState::stopped;
    runs.back().pruned = true;
    EXPECT_EQ(results_table(runs).open(), 0) << "successive halving does not resume it";
}

// A third group can be ahead without a decision.
TEST(ResultsVerdict, TheHeadlineSaysLowestOnlyOfTheLowest) {
    std::vector<ResultRun> runs = two_groups(-0.2);
    for (int seed = 1; seed <= 3; ++seed) {
        runs.push_back(result_run({{"theta", 20}, {"seed", seed}}, seed == 1 ? 0.2 : seed == 2 ? 1.4 : 2.0));
    }
    const auto name = [](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); };
    EXPECT_THAT(headline(results_table(runs), name),
                StartsWith("Lower loss on this text: θ 500; 0.20 nats below θ 10000 ("));
    EXPECT_THAT(leader(results_table(runs), name),
                StartsWith("Lowest loss on this text: θ 20; 0.32 nats below θ 10000"));
}

// The intervals are those of SciPy 1.17.1's ttest_rel: -0.20220 … -0.19646 and -0.007535 … -0.001798.
TEST(ResultsVerdict, TheLeaderIsNamedBeforeItIsDecided) {
    const auto name = [](const ResultGroup& group) { return "θ " + setting_text(group.settings.at("theta")); };
    EXPECT_EQ(leader(results_table(two_groups(-0.2)), name),
              "Lowest loss on this text: θ 500; 0.20 nats below θ 10000 (95 % interval 0.20 … 0.20)");
    EXPECT_EQ(leader(results_table(two_groups(0.004)), name),
              "Lowest loss on this text: θ 10000; 0.0047 nats below θ 500 (95 % interval 0.0018 … "
              "0.0075)");
    EXPECT_EQ(leader(results_table({}), name), "");
    // With a second comparison, whose p is larger, Holm's correction doubles p = 0.03775.
    std::vector<ResultRun> three = two_groups(-0.004);
    for (int seed = 1; seed <= 3; ++seed)
        three.push_back(result_run({{"theta", 20}, {"seed", seed}}, 1.58 - 0.01 * seed));
    EXPECT_EQ(leader(results_table(three), name),
              "Lowest loss on this text: θ 500; 0.0033 nats below θ 10000 (95 % interval 0.00046 … 0.0062, but p = "
              "0.075 with Holm's correction)");
    EXPECT_THAT(leader(welch_table(two_groups(-0.004)), name), HasSubstr("0.027, which contains 0)"));
    std::vector<ResultRun> single = two_groups(-0.2);
    single.resize(2);
    EXPECT_EQ(leader(results_table(single), name),
              "Lowest loss on this text: θ 500; 0.20 nats below θ 10000 (one seed decides nothing)");
}

TEST(ResultsVerdict, DistinguishesSignificantFromUndecidedDifferences) {
    const ResultsTable far = welch_table(two_groups(-0.2));
    EXPECT_EQ(verdict_of(far, far.groups[0]).kind, Verdict::Kind::baseline);
    const Verdict better = verdict_of(far, far.groups[1]);
    EXPECT_EQ(better.kind, Verdict::Kind::better);
    EXPECT_THAT(better.words,
                HasSubstr("Better on this text: 0.20 nats lower than the baseline (95 % interval -0.22 … -0.18 nats), "
                          "p < 0.001 after Holm's correction (Welch's t test, 1 comparison)."));
    const ResultsTable above = welch_table(two_groups(0.2));
    EXPECT_EQ(verdict_of(above, above.groups[1]).kind, Verdict::Kind::worse);

    const ResultsTable near = welch_table(two_groups(-0.004));
    const Verdict undecided = verdict_of(near, near.groups[1]);
    EXPECT_EQ(undecided.kind, Verdict::Kind::undecided);
    // Computed with SciPy 1.17.1.
    EXPECT_THAT(
        undecided.words,
        HasSubstr(
            "Not significant on this text: 0.0033 nats lower than the baseline (95 % interval -0.027 … 0.021 nats), "));
    EXPECT_THAT(
        undecided.words,
        HasSubstr("(Welch's t test, 1 comparison); this difference is smaller than the 0.032 nats "
                  "that the test detects with 80 % power, given 3 seeds per group, their "
                  "standard deviations and the 5 % level; about 158 seeds per group (95 % "
                  "interval 57 … 1311, because the standard deviation is an estimate) would be needed to detect a true "
                  "difference of this size."));
    EXPECT_THAT(undecided.words, Not(HasSubstr("cannot")));
}

TEST(ResultsVerdict, NamesPWithoutAndWithCorrection) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const Verdict verdict = verdict_of(table, table.groups[2]);  // Welch's p is 0.031 without correction
    EXPECT_EQ(verdict.kind, Verdict::Kind::undecided);
    EXPECT_THAT(
        verdict.words,
        HasSubstr(
            "p = 0.031 without correction, but p = 0.153 after Holm's correction (Welch's t test, 5 comparisons)"));
    // Computed with SciPy 1.17.1 for 1.4662 ± 0.0014 and 1.4739 ± 0.0030, three seeds each, at the level 0.05 / 5.
    EXPECT_NEAR(*table.groups[2].welch.detectable, 0.0150923693, 1e-9);
    EXPECT_THAT(verdict.words, HasSubstr("0.0077 nats lower than the baseline (95 % interval -0.014 … -0.0014 nats)"));
    EXPECT_THAT(
        verdict.words,
        HasSubstr("this difference is smaller than the 0.015 nats that the test detects with 80 % power, given "
                  "3 seeds per group, their standard deviations and the 5 % level divided by 5 comparisons "
                  "(the first and strictest step of Holm's correction); about 5 seeds per group (95 % "
                  "interval 4 … 37, because the standard deviation is an estimate) would be needed to detect a true "
                  "difference of this size."));
}

// A large difference of means with large standard deviations: the sentence may not say that small ones are detected.
TEST(ResultsVerdict, ALargeDifferenceThatIsNotSignificantIsSmallerThanTheDetectableOne) {
    std::vector<ResultRun> runs;
    const double baseline[] = {1.50, 1.51, 1.52};
    const double others[] = {1.50, 1.60, 2.66};  // a mean that is 0.41 higher
    const double near[] = {1.5001, 1.5101, 1.5201};
    for (int i = 0; i < 3; ++i) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", i}}, baseline[i]));
        runs.push_back(result_run({{"theta", 500}, {"seed", i}}, others[i]));
        runs.push_back(result_run({{"theta", 1000}, {"seed", i}}, near[i]));
    }
    const ResultsTable table = welch_table(runs);
    const ResultGroup& group = table.groups[1];
    const Verdict verdict = verdict_of(table, group);
    EXPECT_EQ(verdict.kind, Verdict::Kind::undecided);
    EXPECT_THAT(verdict.words, HasSubstr("Not significant on this text: 0.41 nats higher than the baseline"));
    EXPECT_THAT(verdict.words, HasSubstr("; this difference is smaller than the "));
    EXPECT_GT(*group.welch.detectable, *group.difference);
    EXPECT_EQ(verdict.words.find(". "), std::string::npos) << "one sentence: " << verdict.words;
}

TEST(ResultsVerdict, SettledVerdictsNeedNoMoreSeeds) {
    const ResultsTable far = welch_table(two_groups(-0.2));
    EXPECT_FALSE(far.groups[1].welch.seeds_needed);
    EXPECT_TRUE(results_json(far)["groups"][1]["seeds_needed"].is_null());
    EXPECT_THAT(verdict_of(far, far.groups[1]).words, Not(HasSubstr("needed")));
    EXPECT_TRUE(welch_table(two_groups(-0.004)).groups[1].welch.seeds_needed);
    EXPECT_EQ(to_string(verdict_of(far, far.groups[0]).kind), "baseline");
}

TEST(ResultsVerdict, IsBasedOnTheSelectedTest) {
    ResultsOptions options;
    options.test = TestKind::paired;
    const ResultsTable table = welch_table(two_groups(-0.02), options);
    const Verdict verdict = verdict_of(table, table.groups[1]);
    EXPECT_EQ(verdict.kind, Verdict::Kind::better);
    EXPECT_THAT(verdict.words, HasSubstr("paired by seed"));
    EXPECT_EQ(verdict_of(welch_table(two_groups(-0.02)), welch_table(two_groups(-0.02)).groups[1]).kind,
              Verdict::Kind::undecided);
    EXPECT_EQ(test_kind("student"), TestKind::student);
    EXPECT_THAT([] { test_kind("mann-whitney"); },
                ThrowsMessage<BadInput>(HasSubstr("student, welch, paired or permutation")));
}

TEST(ResultsVerdict, IsUntestedWithOneSeed) {
    const std::vector<ResultRun> runs = {result_run({{"theta", 10000}, {"seed", 1}}, 1),
                                         result_run({{"theta", 500}, {"seed", 1}}, 2)};
    ResultsOptions options;
    const ResultsTable table = welch_table(runs, options);
    EXPECT_EQ(verdict_of(table, table.groups[1]).kind, Verdict::Kind::untested);
    EXPECT_THAT(verdict_of(table, table.groups[1]).words, HasSubstr("at least two seeds"));
    EXPECT_FALSE(table.groups[1].welch.detectable);
    EXPECT_FALSE(table.groups[1].welch.seeds_needed);
    EXPECT_EQ(*table.groups[1].difference, 1);
    options.test = TestKind::paired;
    const ResultsTable paired = welch_table(runs, options);
    EXPECT_THAT(verdict_of(paired, paired.groups[1]).words, HasSubstr("there is 1."));
}

TEST(ResultsVerdict, IsUndecidedForEqualSamplesAndUntestedForCopies) {
    std::vector<ResultRun> runs = two_groups(0);
    runs.back().summary->best_validation_loss -= 0.002;
    for (const auto test : {TestKind::welch, TestKind::paired}) {
        const ResultsTable copies = results_table(runs, {.test = test});
        EXPECT_FALSE(copies.groups[1].student.p);
        EXPECT_EQ(*copies.groups[1].improvement_percent, 0);
        EXPECT_THAT(verdict_of(copies, copies.groups[1]).words, HasSubstr("copies"));
    }
    for (std::size_t i = 1; i < runs.size(); i += 2) runs[i].settings["seed"] = 100 + static_cast<int>(i);
    const ResultsTable equal = welch_table(runs);
    EXPECT_EQ(*equal.groups[1].student.p, 1);
    EXPECT_EQ(verdict_of(equal, equal.groups[1]).kind, Verdict::Kind::undecided);
}

TEST(ResultsVerdict, DivergedRunIsExcludedAndReported) {
    std::vector<ResultRun> runs = two_groups(-0.2);
    runs[1].state = RunState::failed;
    runs[1].summary->best_validation_loss = 1e9;
    const ResultsTable table = welch_table(runs);
    EXPECT_EQ(table.groups[1].failed, 1);
    EXPECT_EQ(table.groups[1].unfinished, 0);
    EXPECT_THAT(table.groups[1].members, ElementsAre(1, 3, 5));
    EXPECT_THAT(table.groups[1].counted, ElementsAre(3, 5));
    EXPECT_EQ(table.groups[1].described[0].n, 2);
    EXPECT_LT(table.groups[1].described[0].mean, 2);
    EXPECT_THAT(results_text(table, {.columns = {"full"}}),
                HasSubstr("theta = 500: the group excludes 1 run that failed or diverged."));
    const nlohmann::json json = results_json(table)["groups"];
    EXPECT_EQ(json[1]["failed"], 1);
    EXPECT_EQ(json[1]["runs"], 3);
    EXPECT_EQ(json[1]["runs_words"], "2 of 3 runs; 1 failed or diverged");
    EXPECT_EQ(json[0]["runs_words"], "3");
    EXPECT_TRUE(json[1]["survivors_only"]);
    EXPECT_FALSE(json[0]["survivors_only"]);
    EXPECT_THAT(results_text(table, {.columns = {"full"}}), HasSubstr("2 of 3 runs; 1 failed or diverged"));
    EXPECT_THAT(
        verdict_of(table, table.groups[1]).words,
        HasSubstr("The comparison covers only the surviving runs: 1 of 3 runs of the group failed or diverged."));
    runs[0].state = RunState::failed;
    const ResultsTable both = welch_table(runs);
    EXPECT_THAT(verdict_of(both, both.groups[1]).words,
                HasSubstr("1 of 3 runs of the group and 1 of 3 runs of the baseline failed or diverged."));
    EXPECT_THAT(verdict_of(welch_table(two_groups(-0.2)), welch_table(two_groups(-0.2)).groups[1]).words,
                Not(HasSubstr("surviving")));
}

TEST(ResultsVerdict, HigherSpeedIsBetter) {
    std::vector<ResultRun> runs = two_groups(0);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].summary->tokens_per_second = (i % 2 == 0 ? 1000 : 2000) + static_cast<double>(i);
        runs[i].conditions = timed_by(to_text({"session", static_cast<std::int64_t>(i), true}));
    }
    ResultsOptions options;
    options.compare = "tokens_per_second";
    const ResultsTable table = welch_table(runs, options);
    EXPECT_EQ(verdict_of(table, table.groups[1]).kind, Verdict::Kind::better);
    EXPECT_GT(*table.groups[1].improvement_percent, 90);
    options.compare = "best_validation_loss";
    const ResultsTable losses = welch_table(two_groups(-0.2), options);
    EXPECT_NEAR(*losses.groups[1].improvement_percent, -*losses.groups[1].difference_percent, 1e-12);
    EXPECT_GT(*losses.groups[1].improvement_percent, 0);
}

TEST(ResultsVerdict, DetectableDifferenceBelongsToTheTestAndTheCorrection) {
    const ResultsTable table = welch_table(theta_paper_runs());
    const ResultGroup& group = table.groups[1];
    const Sample ours = sample_of(group.values(0));
    const Sample theirs = sample_of(table.groups[3].values(0));
    const PowerRule first_step{0.05 / 5, 0.8};
    EXPECT_DOUBLE_EQ(*group.student.detectable, *detectable_difference(ours, theirs, first_step));
    EXPECT_DOUBLE_EQ(*group.welch.detectable, *detectable_difference_welch(ours, theirs, first_step));
    EXPECT_EQ(group.pairs, 3);
    EXPECT_FALSE(table.groups[3].welch.detectable);
    const nlohmann::json json = results_json(table)["groups"][1];
    EXPECT_EQ(json["detectable"], *group.welch.detectable);
    EXPECT_EQ(json["detectable_paired"], *group.paired.detectable);
    EXPECT_EQ(json["student"]["detectable"], *group.student.detectable);
    EXPECT_NE(*group.student.detectable, *group.welch.detectable);
    // A family without a second comparison has the uncorrected level.
    const ResultsTable two = welch_table(two_groups(-0.02));
    EXPECT_DOUBLE_EQ(*two.groups[1].welch.detectable, *detectable_difference_welch(sample_of(two.groups[1].values(0)),
                                                                                   sample_of(two.groups[0].values(0))));
    EXPECT_LT(*two.groups[1].paired.detectable, *two.groups[1].welch.detectable);
}

// Three pairs of seeds with lower losses, and a fourth run without a partner that raises the mean of its group.
TEST(ResultsVerdict, PairedComparisonUsesTheMeanOfThePairedDifferences) {
    std::vector<ResultRun> runs;
    const double baseline[] = {1.50, 1.52, 1.54};
    const double others[] = {1.49, 1.51, 1.535, 2.5};
    for (int i = 0; i < 3; ++i) runs.push_back(result_run({{"theta", 10000}, {"seed", i}}, baseline[i]));
    for (int i = 0; i < 4; ++i) runs.push_back(result_run({{"theta", 500}, {"seed", i}}, others[i]));
    ResultsOptions options;
    options.test = TestKind::paired;
    const ResultsTable table = welch_table(runs, options);
    const ResultGroup& group = table.groups[1];
    EXPECT_EQ(group.pairs, 3);
    EXPECT_NEAR(*group.difference, -0.025 / 3, 1e-12);
    EXPECT_NEAR(*group.difference_percent, -100 * 0.025 / 3 / 1.52, 1e-9);
    EXPECT_NEAR(*group.improvement_percent, 100 * 0.025 / 3 / 1.52, 1e-9);
    const Verdict verdict = verdict_of(table, group);
    EXPECT_EQ(verdict.kind, Verdict::Kind::better);
    // The differences -0.01, -0.01 and -0.005 have t = -5 with 2 degrees of freedom (SciPy 1.17.1: p = 0.0377).
    EXPECT_THAT(verdict.words, HasSubstr("Better on this text: 0.0083 nats lower than the baseline (95 % interval "
                                         "-0.016 … -0.0012 nats), p = 0.038"));
    const nlohmann::json json = results_json(table)["groups"][1];
    EXPECT_NEAR(json["difference"].get<double>(), -0.025 / 3, 1e-12);
    EXPECT_NEAR(json["difference_confidence_95"][0].get<double>(), -0.0155044, 1e-6);
    EXPECT_NEAR(json["difference_confidence_95"][1].get<double>(), -0.0011623, 1e-6);
    EXPECT_NEAR(json["welch"]["difference"].get<double>(), 1.75875 - 1.52, 1e-9);
    EXPECT_THAT(results_text(table, {.columns = {"full"}}), HasSubstr(" -0.0083 [-0.016, -0.0012]"));
    EXPECT_THAT(results_latex(table), HasSubstr("$+0.55$ & $-0.0083 [-0.016, -0.0012]$"));
    options.test = TestKind::welch;
    const ResultsTable unpaired = welch_table(runs, options);
    EXPECT_NEAR(*unpaired.groups[1].difference, 1.75875 - 1.52, 1e-9);
    EXPECT_THAT(verdict_of(unpaired, unpaired.groups[1]).words, HasSubstr("higher"));
}

TEST(ResultsUntil, IsTheFirstEvaluationAtOrBelowTheTargetLoss) {
    std::vector<ResultRun> runs = two_groups(-0.2);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double late = static_cast<double>(i);
        runs[i].evaluations = {{0, 4}, {100, 2.0 + 0.1 * late}, {200, 1.9}, {300, 2.5}};
    }
    runs[4].evaluations = {{0, 4}, {100, std::numeric_limits<double>::quiet_NaN()}, {200, 3}};
    ResultsOptions options;
    options.target_loss = 2.05;
    const ResultsTable table = welch_table(runs, options);
    EXPECT_EQ(table.groups[0].iterations_until[0], 100);
    EXPECT_EQ(table.groups[0].iterations_until[1], 200);
    EXPECT_EQ(table.groups[0].until.n, 2);
    EXPECT_EQ(table.groups[0].until.mean, 150);
    EXPECT_EQ(table.groups[1].until.mean, 200);
    EXPECT_THAT(results_text(table, {.columns = {"full"}}), HasSubstr("150 ± 71 (2 of 3)"));
    EXPECT_THAT(results_latex(table), HasSubstr("$150 \\pm 71$ (2 of 3)"));
    EXPECT_THAT(results_csv(table), HasSubstr("iterations_until,iterations_until_std,iterations_until_n"));
    EXPECT_TRUE(results_json(table)["groups"][0]["iterations_until"]["values"][2].is_null());
    EXPECT_TRUE(welch_table(runs).groups[0].iterations_until.empty());
    EXPECT_THAT(results_text(welch_table(runs)), Not(HasSubstr("until")));
}

TEST(ResultsSort, SortsByAnyColumnAndKeepsTheBaseline) {
    ResultsTable table = welch_table(theta_paper_runs());
    sort_groups(table, "-theta");
    EXPECT_EQ(thetas(table), "50000 20000 10000 5000 1000 500 ");
    EXPECT_EQ(table.baseline, 2U);
    sort_groups(table, "best_validation_loss");
    EXPECT_EQ(thetas(table).substr(0, 5), "5000 ");
    EXPECT_EQ(setting_text(table.groups[table.baseline].settings.at("theta")), "10000");
    sort_groups(table, "p_welch");
    EXPECT_EQ(thetas(table).substr(0, 5), "5000 ");
    EXPECT_EQ(table.baseline, 5U);  // the baseline has no p value
    sort_groups(table, "-p_welch");
    EXPECT_EQ(table.baseline, 5U);
    sort_groups(table, "improvement");
    EXPECT_EQ(thetas(table).substr(0, 4), "500 ");
    EXPECT_THAT([&] { sort_groups(table, "thetaa"); }, ThrowsMessage<BadInput>(HasSubstr("did you mean theta?")));
}

TEST(ResultsSort, PutsNumbersBeforeWordsAndMissingValuesLast) {
    const std::vector<ResultRun> runs = {result_run({{"odd", "word"}, {"seed", 1}}, 1),
                                         result_run({{"odd", 3}, {"seed", 1}}, 2), result_run({{"seed", 1}}, 3),
                                         result_run({{"odd", 2}, {"seed", 1}}, 4)};
    ResultsTable table = welch_table(runs);
    sort_groups(table, "odd");
    std::vector<double> losses;
    for (const ResultGroup& group : table.groups) losses.push_back(group.described[0].mean);
    EXPECT_THAT(losses, ElementsAre(4, 2, 1, 3));
}

// A run that overfits ends above its best validation loss too, but not on the text that it trains on.
TEST(ResultsVerdict, WarnsOfRunsThatDivergedWithoutFailing) {
    std::vector<ResultRun> runs = two_groups(-0.2);
    runs[1].summary->final_validation_loss = 9;  // theta 500 overfits
    EXPECT_THAT(condition_warnings(results_table(runs)), testing::IsEmpty());
    runs[3].summary->final_validation_loss = runs[3].summary->final_training_loss = 1e8;
    EXPECT_THAT(condition_warnings(results_table(runs)),
                ElementsAre("Warning: the means include 1 run that diverged without failing: the training loss ended "
                            "more than 1 nat above the best validation loss. Groups: theta = 500 (1 of 3)."));
    for (ResultRun& run : runs) run.settings[std::string(imported_setting)] = "wandb";
    EXPECT_THAT(condition_warnings(results_table(runs)), testing::IsEmpty()) << "in an unknown unit";
}

TEST(ResultsVerdict, CountsHaveNoDecimals) {
    const ResultsTable table = results_table(two_groups(-0.2));
    EXPECT_EQ(results_cells(table, chosen_columns(table, PrintedFormat::text, {.columns = {"pairs", "unfinished"}}))
                  .rows.back(),
              (std::vector<std::string>{"3", "0"}));
    EXPECT_EQ(count_text(4), "4");
    EXPECT_EQ(count_text(7.26), "7.3");
}

// The unit in which another program logged its losses is not known.
TEST(Verdict, OfImportedRunsNamesNoUnit) {
    std::vector<ResultRun> runs = theta_paper_runs();
    for (ResultRun& run : runs) run.settings[std::string(imported_setting)] = "wandb";
    const ResultsTable table = welch_table(runs);
    const auto name = [&](const ResultGroup& group) { return group_words(table, group); };
    for (const ResultGroup& group : table.groups)
        EXPECT_THAT(verdict_of(table, group).words, Not(HasSubstr("nats"))) << group_words(table, group);
    EXPECT_THAT(leader(table, name), HasSubstr("; 0.0077 below θ 10k"));
}

}  // namespace
}  // namespace ropelab
