// Verdicts of factorial sweeps, repeats, small differences, missing seeds and added seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/results/decision_aid.h"
#include "core/results/fits/theta_curve.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/stats/t_test.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

// Each seed shifts all losses, and changes each loss a little.
double seed_effect(int seed, double salt) {
    return 0.02 * seed + 0.002 * std::sin(7 * seed + 100 * salt);
}

// A loss is lower by 0.05 with θ 100, and higher by 0.5 with a fraction of 25 %.
std::vector<ResultRun> theta_by_fraction() {
    std::vector<ResultRun> runs;
    for (const int theta : {100, 10000}) {
        for (const double fraction : {0.25, 1.0}) {
            for (int seed = 1; seed <= 6; ++seed) {
                const double loss = 1.5 - (theta == 100 ? 0.05 : 0) + (fraction < 1 ? 0.5 : 0);
                runs.push_back(result_run({{"theta", theta}, {"fraction", fraction}, {"seed", seed}},
                                          loss + seed_effect(seed, theta + fraction)));
            }
        }
    }
    return runs;
}

const ResultGroup& group_of(const ResultsTable& table, const std::map<std::string, nlohmann::json>& settings) {
    for (const ResultGroup& group : table.groups) {
        if (group.settings == settings) return group;
    }
    throw BadInput("There is no such group.");
}

nlohmann::json baseline_of(const ResultsTable& table, const std::map<std::string, nlohmann::json>& settings) {
    const ResultGroup* baseline = table.baseline_of(group_of(table, settings));
    return baseline ? nlohmann::json(baseline->settings) : nlohmann::json();
}

TEST(ResultsLevels, AGroupIsComparedWithinTheLevelOfTheOtherFactor) {
    const ResultsTable table = results_table(theta_by_fraction());
    for (const double fraction : {0.25, 1.0}) {
        const ResultGroup& group = group_of(table, {{"theta", 100}, {"fraction", fraction}});
        EXPECT_EQ(table.baseline_of(group)->settings.at("theta"), 10000);
        EXPECT_EQ(table.baseline_of(group)->settings.at("fraction"), fraction);
        EXPECT_NEAR(*group.difference, -0.05, 0.004);
        const Verdict verdict = verdict_of(table, group);
        EXPECT_EQ(verdict.kind, Verdict::Kind::better);
        EXPECT_THAT(verdict.words, HasSubstr(fraction < 1 ? "the baseline theta = 10000, fraction = 25 % (95 %"
                                                          : "the baseline theta = 10000, fraction = 100 % (95 %"));
        // Levels are no reason to correct for fewer comparisons.
        EXPECT_EQ(group.comparisons, 2);
        EXPECT_THAT(verdict.words, HasSubstr("2 comparisons"));
    }
    EXPECT_EQ(level_words(table), "fraction");
    const std::string text = results_text(table);
    EXPECT_THAT(text, AllOf(HasSubstr("Baseline: theta = 10000, fraction = 25 %."),
                            HasSubstr("Baseline: theta = 10000, fraction = 100 %.")));
    EXPECT_THAT(caption_words(table), HasSubstr("Each fraction has a baseline of its own."));
    EXPECT_THAT(headline(table, [&](const ResultGroup& group) { return group_words(table, group); }),
                AllOf(HasSubstr("θ 100, "), HasSubstr("below θ 10k, ")));
}

// The first rate's RoPE was the baseline of all, so that a better rate looked like a better encoding.
TEST(ResultsLevels, EncodingsAreComparedAtEqualLearningRates) {
    std::vector<ResultRun> runs;
    for (const char* position : {"rope", "none"}) {
        for (const double rate : {0.0003, 0.01}) {
            for (int seed = 1; seed <= 3; ++seed) {
                const double loss = 1.5 + (rate < 0.01 ? 0.8 : 0) + (position == std::string_view("none") ? 0.26 : 0);
                runs.push_back(result_run({{"position", position},
                                           {"learning_rate", rate},
                                           {"final_learning_rate", rate / 10},
                                           {"seed", seed}},
                                          loss + seed_effect(seed, rate)));
            }
        }
    }
    runs[6].summary->best_validation_loss += 0.001;
    runs[9].summary->best_validation_loss += 0.001;
    const ResultsTable table = results_table(runs);
    for (const ResultGroup& group : table.groups) {
        EXPECT_EQ(table.baseline_of(group)->settings.at("position"), "rope");
        EXPECT_EQ(table.baseline_of(group)->settings.at("learning_rate"), group.settings.at("learning_rate"));
        if (group.settings.at("position") == "none") {
            EXPECT_EQ(verdict_of(table, group).kind, Verdict::Kind::worse);
        }
    }
}

TEST(ResultsLevels, AChosenBaselineIsMatchedInEachLevelOrRefused) {
    const std::vector<ResultRun> runs = theta_by_fraction();
    const ResultsTable fractions = results_table(runs, {.baseline = {{"fraction", "100 %"}}});
    EXPECT_EQ(baseline_of(fractions, {{"theta", 100}, {"fraction", 0.25}}),
              nlohmann::json({{"theta", 100}, {"fraction", 1.0}}));
    EXPECT_EQ(level_words(fractions), "θ");
    const ResultsTable whole = results_table(runs, {.baseline = {{"fraction", "1"}, {"theta", "10k"}}});
    for (const ResultGroup& group : whole.groups) EXPECT_EQ(whole.baseline_of(group)->settings.at("theta"), 10000);
    EXPECT_NEAR(*group_of(whole, {{"theta", 100}, {"fraction", 0.25}}).difference, 0.45, 0.004);
    std::vector<ResultRun> more = runs;
    for (int seed = 1; seed <= 6; ++seed) {
        more.push_back(result_run({{"theta", 100}, {"fraction", 0.5}, {"seed", seed}}, 1.6 + seed_effect(seed, 9)));
    }
    EXPECT_THAT(
        [&] {
            results_table(more, {.baseline = {{"theta", "10000"}}});
        },
        ThrowsMessage<BadInput>(
            "The baseline theta=10000 is ambiguous: 2 groups have it, but none of them has the fraction of the "
            "group theta = 100, fraction = 50 %; also give the baseline's value of fraction."));
    EXPECT_NO_THROW(results_table(more));
    EXPECT_EQ(results_table(more).groups.size(), 5U);
}

// One factor at a time: the baseline's θ alone in a level is compared with the common setting. Another θ there would
// differ in two settings.
TEST(ResultsLevels, LoneLevelsAreComparedWithTheFirstBaseline) {
    std::vector<ResultRun> runs;
    for (const auto& [theta, fraction] : {std::pair(10000, 1.0), {500, 1.0}, {10000, 0.25}, {700, 0.5}}) {
        for (int seed = 1; seed <= 3; ++seed) {
            runs.push_back(result_run({{"theta", theta}, {"fraction", fraction}, {"seed", seed}},
                                      1.5 + seed_effect(seed, theta + fraction)));
        }
    }
    const ResultsTable table = results_table(runs);
    for (const ResultGroup& group : table.groups)
        EXPECT_EQ(table.baseline_of(group), group.settings.at("theta") == 700 ? nullptr : &table.groups[0]);
    EXPECT_EQ(table.comparisons(), 2);
}

// Else θ and the fraction would differ at once.
TEST(ResultsLevels, ALevelWithoutTheBaselinesSettingHasNoTest) {
    std::vector<ResultRun> runs;
    for (const ResultRun& run : theta_by_fraction()) {
        if (run.settings.at("theta") != 10000 || run.settings.at("fraction") != 0.25) runs.push_back(run);
    }
    const ResultsTable table = results_table(runs);
    const ResultGroup& group = group_of(table, {{"theta", 100}, {"fraction", 0.25}});
    EXPECT_EQ(table.baseline_of(group), nullptr);
    EXPECT_THAT(verdict_of(table, group).words, HasSubstr("so this group has no baseline"));
    EXPECT_EQ(group_of(table, {{"theta", 100}, {"fraction", 1.0}}).comparisons, 1);
}

// θ of a model without RoPE has no meaning, and the context's batch follows from it.
TEST(ResultsLevels, SettingsThatFollowFromTheFactorAreNoLevels) {
    std::vector<ResultRun> runs;
    for (const auto& [context, batch] : {std::pair(64, 32), {128, 16}, {256, 8}}) {
        for (const double rate : {0.001, 0.003}) {
            runs.push_back(
                result_run({{"context", context}, {"batch", batch}, {"learning_rate", rate}, {"seed", 1}}, 1.5));
        }
    }
    const ResultsTable table = results_table(runs);
    for (const ResultGroup& group : table.groups) {
        EXPECT_EQ(table.baseline_of(group)->settings.at("context"), 128);
        EXPECT_EQ(table.baseline_of(group)->settings.at("learning_rate"), group.settings.at("learning_rate"));
    }
}

// Equal models of which one was evaluated 40 times and the other twice.
std::vector<ResultRun> repeats() {
    std::vector<ResultRun> runs;
    for (const int every : {100, 4}) {
        for (int seed = 1; seed <= 4; ++seed) {
            runs.push_back(result_run({{"evaluate_every", every}, {"seed", seed}},
                                      1.5 + 0.02 * seed - (every == 4 ? 0.05 + 0.001 * seed : 0)));
            runs.back().summary->final_validation_loss = 1.6 + 0.02 * seed;
            runs.back().summary->whole_validation_loss = 1.6 + 0.02 * seed;
        }
    }
    return runs;
}

TEST(ResultsRepeats, EqualModelsHaveNoVerdict) {
    const ResultsTable table = results_table(repeats());
    EXPECT_EQ(measures()[table.compared].name, "whole_validation_loss");
    for (const char* measure : {"best_validation_loss", "auto", "bits_per_character", "final_training_loss"}) {
        const ResultsTable each = results_table(repeats(), {.compare = measure});
        const ResultGroup& group = each.groups[1];
        EXPECT_EQ(verdict_of(each, group).kind, Verdict::Kind::untested) << measure;
        EXPECT_THAT(verdict_of(each, group).words, HasSubstr("same models as the group evaluate_every = 100"))
            << measure;
        EXPECT_FALSE(group.decided().seeds_needed || group.decided().p_holm);
        EXPECT_EQ(decision_text(each), "");
    }
    EXPECT_THAT(results_text(table), HasSubstr("each comparison is tested once"));
    EXPECT_THAT(results_json(table)["warnings"].dump(), HasSubstr("whole_validation_loss is compared"));
    EXPECT_TRUE(changes_training("theta"));
    EXPECT_FALSE(changes_training("sample_length"));
}

// Two bases, each evaluated every 100 and every 4 steps: one test, not two.
TEST(ResultsRepeats, AreTestedOnce) {
    std::vector<ResultRun> runs;
    for (const int theta : {10000, 500}) {
        for (ResultRun& run : repeats()) {
            run.settings["theta"] = theta;
            const int seed = run.settings["seed"];
            *run.summary->whole_validation_loss += (theta == 500 ? 0.1 + 0.001 * seed * seed : 0);
            runs.push_back(run);
        }
    }
    ResultsTable table = results_table(runs);
    sort_groups(table, "evaluate_every");
    EXPECT_EQ(table.comparisons(), 1);
    const ResultGroup& tested = group_of(table, {{"theta", 500}, {"evaluate_every", 100}});
    EXPECT_EQ(verdict_of(table, tested).kind, Verdict::Kind::worse);
    EXPECT_THAT(verdict_of(table, tested).words, HasSubstr("1 comparison)"));
    const ResultGroup& repeat = group_of(table, {{"theta", 500}, {"evaluate_every", 4}});
    EXPECT_THAT(verdict_of(table, repeat).words,
                HasSubstr("same models as the group theta = 500, evaluate_every = 100"));
}

// Two bases, evaluated every 100 and every 4 steps.
// With a fraction of 0, θ changes nothing: copies must not count, whichever test is chosen.
TEST(ResultsRepeats, CopiesAreTestedByNoTest) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 4; ++seed) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, 1.5 + seed_effect(seed, 1)));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed}}, 1.5 + seed_effect(seed, 1)));
        runs.push_back(result_run({{"theta", 100}, {"seed", seed}}, 1.4 + seed_effect(seed, 2)));
    }
    for (const auto kind : {TestKind::student, TestKind::welch, TestKind::paired}) {
        const ResultsTable table = results_table(runs, {.test = kind});
        const ResultGroup& copies = group_of(table, {{"theta", 500}});
        EXPECT_EQ(verdict_of(table, copies).kind, Verdict::Kind::untested);
        EXPECT_FALSE(copies.welch.p || copies.student.p || copies.paired.p);
        EXPECT_EQ(group_of(table, {{"theta", 100}}).comparisons, 1);
    }
}

// Without rotation, θ has no effect: four groups are one comparison with the baseline, by every consumer.
TEST(ResultsRepeats, SettingsWithoutEffectMakeNoNewComparison) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 4; ++seed) {
        for (const int theta : {100, 1000, 10000, 1000000}) {
            const double rotated = 1.4 + seed_effect(seed, theta % 7);
            runs.push_back(result_run({{"theta", theta}, {"fraction", 1}, {"seed", seed}}, rotated));
            runs.push_back(result_run({{"theta", theta}, {"fraction", 0}, {"seed", seed}}, 1.6 + seed_effect(seed, 5)));
        }
    }
    const ResultsTable table =
        results_table(runs, {.baseline = {{"theta", "10000"}, {"fraction", "1"}}, .test = TestKind::welch});
    EXPECT_EQ(table.comparisons(), 4) << "three bases and one model without rotation";
    EXPECT_EQ(theta_curves(table).size(), 1U);
    const auto aids = decision_aids(table);
    ASSERT_EQ(aids.size(), 1U);
    EXPECT_EQ(aids[0].front.size() + aids[0].dominated.size(), 5U);
    EXPECT_EQ(aids[0].comparisons, 10);
    // Against RoPE at each base, the one model without positions is another comparison.
    for (ResultRun& run : runs) {
        run.settings["position"] = run.settings["fraction"] == 0 ? "none" : "rope";
        run.settings["fraction"] = 1;
    }
    EXPECT_EQ(results_table(runs, {.baseline = {{"position", "rope"}}, .test = TestKind::welch}).comparisons(), 4);
}

TEST(ResultsRepeats, ShareSeedsAndTheGroupWithTheMostIsTested) {
    std::vector<ResultRun> runs;
    const auto add = [&](int theta, int every, int first, int last) {
        for (int seed = first; seed <= last; ++seed) {
            runs.push_back(result_run({{"theta", theta}, {"evaluate_every", every}, {"seed", seed}},
                                      1.5 + seed_effect(seed, theta)));
        }
    };
    add(10000, 4, 1, 6);
    add(100, 4, 1, 3);
    add(100, 15, 1, 6);
    add(100, 20, 7, 9);
    const ResultsTable table = results_table(runs, {.compare = "final_validation_loss"});
    const auto repeats = [&](int every) {
        return group_of(table, {{"theta", 100}, {"evaluate_every", every}}).repeats.has_value();
    };
    EXPECT_TRUE(repeats(4));
    EXPECT_FALSE(repeats(15)) << "six seeds";
    EXPECT_FALSE(repeats(20)) << "other seeds are new models";
}

TEST(ResultsRepeats, BestLossesAreComparedOnlyIfEvaluatedAlike) {
    std::vector<ResultRun> runs = repeats();
    for (ResultRun& run : runs) {
        if (run.settings["evaluate_every"] == 4) run.settings["theta"] = 500;
    }
    const ResultsTable best = results_table(runs, {.compare = "best_validation_loss"});
    EXPECT_EQ(verdict_of(best, best.groups[1]).kind, Verdict::Kind::untested);
    EXPECT_THAT(verdict_of(best, best.groups[1]).words, HasSubstr("lowest of several losses depends on that"));
    for (ResultRun& run : runs) run.summary->whole_validation_loss.reset();
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(measures()[table.compared].name, "final_validation_loss");
    for (ResultRun& run : runs) run.settings["evaluate_every"] = 4;
    EXPECT_EQ(measures()[results_table(runs).compared].name, "best_validation_loss");
}

// Returns runs with θ 10000 and 500, whose differences per seed are these.
std::vector<ResultRun> pairs_with(const std::vector<double>& differences) {
    std::vector<ResultRun> runs;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        const int seed = static_cast<int>(i) + 1;
        const double loss = 1.5 + 0.03 * static_cast<double>((i * 7) % 5);
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, loss));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed}}, loss + differences[i]));
    }
    return runs;
}

TEST(ResultsMargin, ASignificantDifferenceWithinTheMarginIsEquivalent) {
    // SciPy 1.17.1: mean -3.8e-05, 95 % interval -6.17e-05 … -1.43e-05, p = 0.0114.
    const std::vector<ResultRun> runs = pairs_with({-3e-5, -6e-5, -2e-5, -5e-5, -3e-5});
    const ResultsTable table = results_table(runs);
    const Verdict verdict = verdict_of(table, table.groups[1]);
    EXPECT_EQ(verdict.kind, Verdict::Kind::equivalent);
    EXPECT_LT(*table.groups[1].decided().p_holm, 0.05);
    EXPECT_THAT(verdict.words, HasSubstr("Equivalent within 0.0016 nats (0.1 % of the baseline's mean) on this text: "
                                         "0.000038 nats lower than the baseline"));
    EXPECT_EQ(significance_mark(table, table.groups[1]), "eq.");
    EXPECT_EQ(results_json(table)["groups"][1]["verdict"]["kind"], "equivalent");
    EXPECT_EQ(headline(table, [](const ResultGroup&) { return std::string(); }), "");
    EXPECT_THAT(results_text(table), HasSubstr("Relevance margin: 0.1 % of the baseline's mean."));
    EXPECT_EQ(
        equivalence_headline(table, "θ 10k"),
        "Equivalent: no setting differs from θ 10k on this text by more than the relevance margin of 0.1 % of the "
        "baseline's mean");
    EXPECT_EQ(equivalence_headline(results_table(pairs_with({-0.3, 0.3, -0.2})), "θ 10k"), "") << "not decided";
    const ResultsTable without = results_table(runs, {.margin = "0"});
    EXPECT_EQ(verdict_of(without, without.groups[1]).kind, Verdict::Kind::better);
}

TEST(ResultsMargin, IsAPercentage) {
    for (const char* typed : {"-1", "101", "nan", "x", "5 % %", "seed"}) {
        EXPECT_THAT([&] { results_table({}, {.margin = typed}); },
                    ThrowsMessage<BadInput>(HasSubstr("is not a relevance margin; write a percentage")))
            << typed;
    }
    EXPECT_EQ(results_table({}, {.margin = "0.5 %"}).margin_percent, 0.5);
    EXPECT_EQ(results_table({}, {.margin = "0.5"}).margin_percent, 0.5);
    EXPECT_EQ(results_table({}).margin_percent, 0.1);
}

// The pooled standard deviation of theta_paper_runs() is the root mean square of those of the groups.
TEST(ResultsMargin, CanBeTheSpreadOfTheSeeds) {
    double squares = 0;
    for (const double deviation : {0.0016, 0.0019, 0.0014, 0.0030, 0.0022, 0.0018}) squares += deviation * deviation;
    const ResultsTable table = results_table(theta_paper_runs(), {.margin = "seeds"});
    EXPECT_TRUE(table.margin_of_seeds);
    EXPECT_NEAR(table.margin_percent, 100 * std::sqrt(squares / 6) / 1.4739, 1e-9);
    EXPECT_THAT(results_text(table), HasSubstr("% of the baseline's mean, the standard deviation of the seeds."));
    EXPECT_FALSE(results_table(theta_paper_runs()).margin_of_seeds);
}

TEST(ResultsMargin, AnIntervalThatReachesBelowTheMarginIsNamed) {
    const ResultsTable near = results_table(pairs_with({-0.001, -0.004, -0.002, -0.003, -0.005}));
    const Verdict verdict = verdict_of(near, near.groups[1]);
    EXPECT_EQ(verdict.kind, Verdict::Kind::better);
    EXPECT_THAT(verdict.words,
                HasSubstr("; the interval includes differences below the relevance margin of 0.0016 nats"));
    const ResultsTable far = results_table(pairs_with({-0.101, -0.104, -0.102, -0.103, -0.105}));
    EXPECT_THAT(verdict_of(far, far.groups[1]).words, Not(HasSubstr("margin")));
}

// One failed seed made every comparison unpaired.
TEST(ResultsTest, IsChosenForEachComparison) {
    std::vector<ResultRun> runs = pairs_with({-0.011, -0.014, -0.012, -0.013, -0.015});
    for (int seed = 1; seed <= 5; ++seed) {
        runs.push_back(result_run({{"theta", 700}, {"seed", 90 + seed}}, 1.5 + 0.03 * seed));
    }
    const ResultsTable mixed = results_table(runs);
    EXPECT_FALSE(mixed.test);
    EXPECT_EQ(mixed.groups[1].test, TestKind::paired);
    EXPECT_EQ(mixed.groups[2].test, TestKind::welch);
    EXPECT_THAT(verdict_of(mixed, mixed.groups[1]).words, HasSubstr("the t test paired by seed, 2 comparisons"));
    EXPECT_THAT(verdict_of(mixed, mixed.groups[2]).words, HasSubstr("Welch's t test, 2 comparisons"));
    // One family of both tests.
    EXPECT_DOUBLE_EQ(*mixed.groups[1].decided().p_holm, 2 * *mixed.groups[1].paired.p);
    EXPECT_THAT(results_text(mixed), AllOf(HasSubstr(" p, Holm "), HasSubstr(" paired "), HasSubstr(" welch ")));
    EXPECT_THAT(results_csv(mixed, {{"paper"}}), HasSubstr("improvement_percent,test,p_holm,mark"));
    EXPECT_THAT(caption_words(mixed), HasSubstr("else Welch's)"));

    runs.resize(10);
    const double p = *results_table(runs).groups[1].paired.p;
    runs[1].state = RunState::failed;  // seed 1 of θ 500
    const ResultsTable fewer = results_table(runs);
    EXPECT_EQ(fewer.groups[1].test, TestKind::paired);
    EXPECT_EQ(fewer.groups[1].pairs, 4);
    EXPECT_NE(*fewer.groups[1].decided().p, p);
    EXPECT_LT(*fewer.groups[1].decided().p, 0.01);
}

TEST(ResultsTest, UnpairedSeedsMustNotOutnumberPairs) {
    std::vector<ResultRun> runs;
    for (int seed = 1; seed <= 6; ++seed) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", seed}}, 1.5 + 0.01 * seed));
        runs.push_back(result_run({{"theta", 500}, {"seed", seed + 4}}, 1.4 + 0.01 * seed));
        runs.push_back(result_run({{"theta", 700}, {"seed", seed + 3}}, 1.4 + 0.01 * seed));
    }
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.groups[1].test, TestKind::welch) << "2 of 6 seeds";
    EXPECT_EQ(table.groups[2].test, TestKind::paired) << "3 of 6 seeds";
}

// The decision aid tests all pairs in loss and cost, the table fewer.
TEST(ResultsFamilies, AreNamedWhereTheyDisagree) {
    std::vector<ResultRun> runs = pairs_with({-0.02, -0.05, -0.03, -0.045, -0.02});
    for (const int theta : {600, 700, 800}) {
        for (int seed = 1; seed <= 5; ++seed)
            runs.push_back(result_run({{"theta", theta}, {"seed", seed}}, 1.52 + 0.02 * std::sin(theta * seed)));
    }
    const ResultsTable table = results_table(runs);
    const ResultGroup& group = group_of(table, {{"theta", 500}});
    ASSERT_EQ(verdict_of(table, group).kind, Verdict::Kind::better) << verdict_of(table, group).words;
    const std::string text = decision_text(table);
    EXPECT_THAT(text, HasSubstr("after Holm's correction over 10 tests"));
    EXPECT_THAT(text, HasSubstr("Undecided: θ 10k against θ 500. The table, whose correction is over 4 comparisons "
                                "only, says: θ 500 is better."));
}

TEST(ResultsLooks, AddedSeedsAreASecondLook) {
    std::vector<ResultRun> runs = pairs_with({-0.101, -0.104, -0.102, -0.103, -0.105});
    const auto words = [&](const ResultsTable& table) {
        return headline(table, [&](const ResultGroup& group) { return group_words(table, group); });
    };
    const ResultsTable first = results_table(runs);
    EXPECT_EQ(first.looks(first.groups[1]), 1);
    EXPECT_EQ(look_warning(first), "");
    EXPECT_THAT(words(first), Not(AnyOf(HasSubstr("look"), HasSubstr("before"))));
    for (std::size_t i = 6; i < runs.size(); ++i) runs[i].look = 2;
    const ResultsTable table = results_table(runs);
    EXPECT_EQ(table.looks(table.groups[1]), 2);
    EXPECT_THAT(verdict_of(table, table.groups[1]).words,
                HasSubstr(" Seeds were added after results existed (look 2 at this comparison); "));
    EXPECT_THAT(words(table), HasSubstr(", tested before with fewer seeds)"));
    EXPECT_THAT(results_text(table), HasSubstr("experiment 2 added seeds to groups that already had some"));
    EXPECT_THAT(results_latex(table), AllOf(HasSubstr("% Warning: this is not the first look"),
                                            HasSubstr("Some groups were tested before with fewer seeds.")));
    EXPECT_THAT(results_csv(table, {{"theta", "look"}}), HasSubstr("500,2"));
    for (const char* preset : {"short", "paper"}) EXPECT_THAT(results_csv(table, {{preset}}), HasSubstr(",look,"));
    EXPECT_EQ(results_json(table)["groups"][1]["look"], 2);
    // An experiment that adds groups does not test the same ones again.
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].look = i % 2 == 0 ? 0 : 2;
    EXPECT_EQ(look_warning(results_table(runs)), "");
}

// A true effect of half a standard deviation needs 34 pairs. SciPy 1.17.1: χ² quantiles 0.4844 and 11.143.
TEST(ResultsLooks, SeedsThatAPairedTestDoesNotUseAreNoLook) {
    std::vector<ResultRun> runs = pairs_with({-0.101, -0.104, -0.102, -0.103, -0.105});
    runs.push_back(result_run({{"theta", 10000}, {"seed", 9}}, 1.5));
    runs.back().look = 2;
    const ResultsTable table = results_table(runs);
    ASSERT_EQ(table.groups[1].test, TestKind::paired);
    EXPECT_EQ(table.looks(table.groups[1]), 1);
    // The row's mean is over six seeds and its p over five pairs, which every format says.
    EXPECT_THAT(results_csv(table, {{"paper"}}), AllOf(HasSubstr(",pairs,"), Not(HasSubstr(",look,"))));
    for (const std::string& words : {results_text(table), results_latex(table, {{"paper"}})})
        EXPECT_THAT(words, HasSubstr("cover the 5 seeds that the group shares with its baseline"));
    EXPECT_THAT(verdict_of(table, table.groups[1]).words, Not(AnyOf(HasSubstr("look"), HasSubstr("before"))));
}

TEST(ResultsSeedsNeeded, HaveTheIntervalOfTheStandardDeviation) {
    const auto [low, high] = deviation_factors(4);
    EXPECT_NEAR(low, std::sqrt(4 / 11.14328678), 1e-8);
    EXPECT_NEAR(high, std::sqrt(4 / 0.48441856), 1e-8);
    // Mean 0.005, standard deviation 0.01.
    const double s = 0.01 / std::sqrt(2.5);
    const ResultsTable table =
        results_table(pairs_with({0.005 - 2 * s, 0.005 - s, 0.005, 0.005 + s, 0.005 + 2 * s}), {.margin = "0"});
    const Comparison& comparison = table.groups[1].decided();
    EXPECT_EQ(*comparison.seeds_needed, 34);
    EXPECT_EQ(*comparison.seeds_needed_low, *pairs_to_detect(0.005, 0.01 * low));
    EXPECT_EQ(*comparison.seeds_needed_high, *pairs_to_detect(0.005, 0.01 * high));
    EXPECT_THAT(verdict_of(table, table.groups[1]).words,
                HasSubstr("; about 34 pairs of seeds (95 % interval " + std::to_string(*comparison.seeds_needed_low) +
                          " … " + std::to_string(*comparison.seeds_needed_high)));
    EXPECT_LT(*comparison.seeds_needed_low, 20);
    EXPECT_GT(*comparison.seeds_needed_high, 200);
}

TEST(ResultsText, VerdictHeadlineAndLatexRowAreAboutThisText) {
    const ResultsTable table = results_table(pairs_with({-0.101, -0.104, -0.102, -0.103, -0.105}));
    EXPECT_THAT(verdict_of(table, table.groups[1]).words, HasSubstr("Better on this text: "));
    EXPECT_THAT(headline(table, [&](const ResultGroup& group) { return group_words(table, group); }),
                AllOf(HasSubstr("loss on this text: "), HasSubstr("; 0.10 nats below θ 10k (")));
    EXPECT_THAT(results_latex(table, {{"paper"}}), HasSubstr("& result on this text \\\\"));
    EXPECT_THAT(results_latex(table, {{"settings", "verdict"}}), HasSubstr("& result on this text \\\\"));
}

}  // namespace
}  // namespace ropelab
